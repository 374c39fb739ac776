//! A separate database on the PostgreSQL that tests share.

use std::cell::RefCell;
use std::collections::HashMap;

use obeya_odata::edm::{EntityType, Type};
use obeya_odata::functions;
use obeya_odata::search;
use obeya_odata::sql::{Dialect, Postgres, Statement, Value, postgres::DEFINITIONS};
use obeya_testkit::postgres::Scratch;
use postgres::types::ToSql;
use postgres::{Client, NoTls, Row};
use serde_json::Value as Json;

use super::{Engine, cases, comments};
use crate::model::ENTITIES;

pub struct Database {
    client: RefCell<Client>,
    /// Statements by their texts: most tests run a few of them very often.
    prepared: RefCell<HashMap<String, postgres::Statement>>,
    _scratch: Scratch,
}

impl Database {
    pub fn new() -> Self {
        let scratch = Scratch::empty();
        let mut client = Client::connect(scratch.url(), NoTls).unwrap();
        client
            .batch_execute("SET client_min_messages = warning; SET statement_timeout = '60s'")
            .unwrap();
        let database = Self {
            client: RefCell::new(client),
            prepared: RefCell::default(),
            _scratch: scratch,
        };
        for text in DEFINITIONS {
            database.execute(text);
        }
        for text in functions::postgres::definitions() {
            database.execute(&text);
        }
        database.fill();
        database
    }

    fn fill(&self) {
        for (name, entity) in ENTITIES {
            self.create(entity);
            let rows = cases()["fixture"][name].as_array().unwrap();
            self.insert(entity, rows);
        }
        self.execute(
            r#"CREATE TABLE comment_words (rowid bigint PRIMARY KEY, words tsvector NOT NULL, document text NOT NULL);
               CREATE INDEX comment_words_found ON comment_words USING gin (words);
               CREATE TABLE comment_parts (rowid bigint PRIMARY KEY, grams text[] NOT NULL);
               CREATE INDEX comment_parts_found ON comment_parts USING gin (grams);
               CREATE FUNCTION comment_parts_follow() RETURNS trigger LANGUAGE plpgsql AS $$
               BEGIN
                   INSERT INTO comment_parts VALUES (new.id, odata_grams(new.text));
                   RETURN NULL;
               END $$;
               CREATE TRIGGER comment_parts_follow AFTER INSERT ON "incidentComments"
                   FOR EACH ROW EXECUTE FUNCTION comment_parts_follow();
               INSERT INTO comment_parts SELECT id, odata_grams(text) FROM "incidentComments";"#,
        );
        let mut client = self.client.borrow_mut();
        for row in comments() {
            let words = search::document(row["text"].as_str().unwrap());
            let sql = "INSERT INTO comment_words VALUES ($1, odata_terms(' ' || $2 || ' '), ' ' || $2 || ' ')";
            client.execute(sql, &[&row["id"].as_i64(), &words]).unwrap();
        }
    }

    fn create(&self, entity: &EntityType) {
        let columns: Vec<String> = entity
            .properties
            .iter()
            .map(|property| {
                let ty = match property.ty {
                    Type::Double => "double precision",
                    Type::String | Type::Guid | Type::Enum(_) => "text COLLATE \"C\"",
                    _ => "bigint",
                };
                format!("\"{}\" {ty}", property.name)
            })
            .collect();
        let columns = columns.join(", ");
        self.execute(&format!("CREATE TABLE \"{}\" ({columns})", entity.table));
    }

    /// PostgreSQL's own calendar reads the dates, so that ours is checked against it.
    fn insert(&self, entity: &EntityType, rows: &[Json]) {
        let encoded: Vec<String> = (1..)
            .zip(entity.properties)
            .map(|(at, property)| match property.ty {
                Type::Boolean => format!("(${at}::text = 'true')::integer::bigint"),
                Type::Date => format!("(${at}::text::date - date '1970-01-01')::bigint"),
                // Seconds and their fraction, since older versions count both as one double.
                Type::DateTimeOffset => format!(
                    "extract(epoch from date_trunc('second', ${at}::text::timestamptz))::bigint * 10000000
                     + (extract(microseconds from ${at}::text::timestamptz)::bigint % 1000000) * 10"
                ),
                Type::Double => format!("${at}::text::double precision"),
                Type::String | Type::Guid | Type::Enum(_) => format!("${at}::text"),
                _ => format!("${at}::text::bigint"),
            })
            .collect();
        let sql = format!(
            "INSERT INTO \"{}\" SELECT {}",
            entity.table,
            encoded.join(", ")
        );
        let mut client = self.client.borrow_mut();
        let prepared = client.prepare(&sql).unwrap();
        for row in rows {
            let texts: Vec<Option<String>> = entity
                .properties
                .iter()
                .map(|property| match &row[property.name] {
                    Json::Null => None,
                    Json::String(text) => Some(text.clone()),
                    other => Some(other.to_string()),
                })
                .collect();
            let texts: Vec<&(dyn ToSql + Sync)> = texts
                .iter()
                .map(|text| text as &(dyn ToSql + Sync))
                .collect();
            client.execute(&prepared, &texts).unwrap();
        }
    }
}

impl Engine for Database {
    fn dialect(&self) -> &'static dyn Dialect {
        &Postgres
    }

    fn execute(&self, sql: &str) {
        let done = self.client.borrow_mut().batch_execute(sql);
        done.unwrap_or_else(|error| panic!("{}: {sql}", message(&error)));
    }

    fn prepare(&self, statement: &Statement) -> Result<(), String> {
        let prepared = self.client.borrow_mut().prepare(&numbered(&statement.sql));
        prepared.map(drop).map_err(|error| message(&error))
    }

    fn rows(&self, statement: &Statement) -> Result<Vec<Vec<Value>>, String> {
        let (mut client, mut known) = (self.client.borrow_mut(), self.prepared.borrow_mut());
        if !known.contains_key(&statement.sql) {
            let prepared = client.prepare(&numbered(&statement.sql));
            let prepared = prepared.map_err(|error| message(&error))?;
            known.insert(statement.sql.clone(), prepared);
        }
        let rows = client.query(&known[&statement.sql], &binds(statement));
        let rows = rows.map_err(|error| message(&error))?;
        Ok(rows.iter().map(values).collect())
    }

    fn plan(&self, statement: &Statement) -> String {
        let sql = format!("EXPLAIN {}", numbered(&statement.sql));
        let mut client = self.client.borrow_mut();
        let lines = client.query(&sql, &binds(statement)).unwrap();
        let lines: Vec<String> = lines.iter().map(|row| row.get(0)).collect();
        lines.join("\n")
    }
}

/// A statement with `$1` for `?1`. None of this crate has a question mark anywhere else.
fn numbered(sql: &str) -> String {
    sql.replace('?', "$")
}

fn binds(statement: &Statement) -> Vec<&(dyn ToSql + Sync)> {
    let bind = |value| match value {
        &Value::Null => &None::<String> as &(dyn ToSql + Sync),
        Value::Int(number) => number,
        Value::Real(number) => number,
        Value::Text(text) => text,
    };
    statement.binds.iter().map(bind).collect()
}

fn values(row: &Row) -> Vec<Value> {
    let value = |at: usize| match row.columns()[at].type_().name() {
        "int8" => row.get::<_, Option<i64>>(at).map(Value::Int),
        "int4" => row
            .get::<_, Option<i32>>(at)
            .map(|number| Value::Int(number.into())),
        "float8" => row.get::<_, Option<f64>>(at).map(Value::Real),
        "text" => row.get::<_, Option<String>>(at).map(Value::Text),
        other => panic!("no column is of type {other}"),
    };
    (0..row.len())
        .map(|at| value(at).unwrap_or(Value::Null))
        .collect()
}

/// The service's treatment of an error.
fn message(error: &postgres::Error) -> String {
    let Some(error) = error.as_db_error() else {
        return error.to_string();
    };
    let fault = functions::postgres::fault(error.code().code());
    fault.map_or_else(|| error.to_string(), |fault| fault.to_string())
}
