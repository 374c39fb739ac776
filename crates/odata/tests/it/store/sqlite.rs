//! SQLite in memory.

use obeya_odata::edm::{EntityType, Type};
use obeya_odata::functions::{AGGREGATES, Accumulator, Aggregate, Arg, Out, SCALARS, ScalarError};
use obeya_odata::search;
use obeya_odata::sql::{Dialect, Sqlite, Statement, Value};
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use serde_json::Value as Json;

use super::{Engine, cases, comments};
use crate::model::ENTITIES;

pub struct Memory(Connection);

impl Memory {
    pub fn new() -> Self {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection);
        for (name, entity) in ENTITIES {
            create(&connection, entity);
            for row in cases()["fixture"][name].as_array().unwrap() {
                insert(&connection, entity, row);
            }
        }
        connection
            .execute_batch(
                "CREATE VIRTUAL TABLE comment_words USING fts5(words, prefix='3', tokenize='ascii');
                 CREATE VIRTUAL TABLE comment_parts USING fts5(text, content='', detail=none, tokenize='trigram case_sensitive 1');
                 CREATE TRIGGER comment_parts_follow AFTER INSERT ON incidentComments BEGIN
                     INSERT INTO comment_parts (rowid, text) VALUES (new.id, new.text);
                 END;
                 INSERT INTO comment_parts (rowid, text) SELECT id, text FROM incidentComments;",
            )
            .unwrap();
        for row in comments() {
            let words = search::document(row["text"].as_str().unwrap());
            connection
                .execute(
                    "INSERT INTO comment_words (rowid, words) VALUES (?1, ?2)",
                    (row["id"].as_i64(), words),
                )
                .unwrap();
        }
        Self(connection)
    }
}

impl Engine for Memory {
    fn dialect(&self) -> &'static dyn Dialect {
        &Sqlite
    }

    fn execute(&self, sql: &str) {
        self.0.execute_batch(sql).unwrap();
    }

    fn prepare(&self, statement: &Statement) -> Result<(), String> {
        let prepared = self.0.prepare(&statement.sql).map(drop);
        prepared.map_err(|error| error.to_string())
    }

    fn rows(&self, statement: &Statement) -> Result<Vec<Vec<Value>>, String> {
        rows(&self.0, statement).map_err(|error| error.to_string())
    }

    fn plan(&self, statement: &Statement) -> String {
        let sql = format!("EXPLAIN QUERY PLAN {}", statement.sql);
        let mut prepared = self.0.prepare(&sql).unwrap();
        let binds = statement.binds.iter().map(Bind);
        let steps = prepared.query_map(rusqlite::params_from_iter(binds), |row| {
            row.get::<_, String>(3)
        });
        let steps: rusqlite::Result<Vec<String>> = steps.unwrap().collect();
        steps.unwrap().join("\n")
    }
}

fn rows(connection: &Connection, statement: &Statement) -> rusqlite::Result<Vec<Vec<Value>>> {
    let mut prepared = connection.prepare(&statement.sql)?;
    let width = prepared.column_count();
    let binds = statement.binds.iter().map(Bind);
    prepared
        .query_map(rusqlite::params_from_iter(binds), |row| {
            (0..width).map(|at| Ok(value(row.get_ref(at)?))).collect()
        })?
        .collect()
}

struct Bind<'a>(&'a Value);

impl ToSql for Bind<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Int(number) => ValueRef::Integer(*number),
            Value::Real(number) => ValueRef::Real(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

fn value(found: ValueRef<'_>) -> Value {
    match found {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => Value::Text(String::from_utf8(text.to_vec()).unwrap()),
        ValueRef::Blob(_) => panic!("no column holds a blob"),
    }
}

fn register(connection: &Connection) {
    for scalar in SCALARS {
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
        let function = |context: &Context<'_>| {
            let args: Vec<Arg<'_>> = (0..context.len())
                .map(|at| argument(context.get_raw(at)))
                .collect();
            (scalar.call)(&args).map(result).map_err(failed)
        };
        connection
            .create_scalar_function(scalar.name, scalar.arity, flags, function)
            .unwrap();
    }
    for aggregate in AGGREGATES {
        connection
            .create_aggregate_function(
                aggregate.name,
                1,
                FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC,
                Aggregation(aggregate),
            )
            .unwrap();
    }
}

struct Aggregation(&'static Aggregate);

impl rusqlite::functions::Aggregate<Accumulator, rusqlite::types::Value> for Aggregation {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<Accumulator> {
        Ok(self.0.start())
    }

    fn step(&self, context: &mut Context<'_>, group: &mut Accumulator) -> rusqlite::Result<()> {
        group.add(argument(context.get_raw(0))).map_err(failed)
    }

    fn finalize(
        &self,
        _: &mut Context<'_>,
        group: Option<Accumulator>,
    ) -> rusqlite::Result<rusqlite::types::Value> {
        let group = group.unwrap_or_else(|| self.0.start());
        group.finish().map(result).map_err(failed)
    }
}

fn argument(value: ValueRef<'_>) -> Arg<'_> {
    match value {
        ValueRef::Integer(number) => Arg::Int(number),
        ValueRef::Real(number) => Arg::Real(number),
        ValueRef::Text(text) => Arg::Text(std::str::from_utf8(text).unwrap()),
        ValueRef::Null | ValueRef::Blob(_) => Arg::Null,
    }
}

fn result(out: Out) -> rusqlite::types::Value {
    match out {
        Out::Null => rusqlite::types::Value::Null,
        Out::Int(number) => number.into(),
        Out::Real(number) => number.into(),
        Out::Text(text) => text.into(),
    }
}

fn failed(error: ScalarError) -> rusqlite::Error {
    rusqlite::Error::UserFunctionError(error.into())
}

fn create(connection: &Connection, entity: &EntityType) {
    let columns: Vec<String> = entity
        .properties
        .iter()
        .map(|property| {
            let ty = match property.ty {
                Type::Double => "REAL",
                Type::String | Type::Guid | Type::Enum(_) => "TEXT",
                _ => "INTEGER",
            };
            format!("\"{}\" {ty}", property.name)
        })
        .collect();
    connection
        .execute_batch(&format!(
            "CREATE TABLE {} ({})",
            entity.table,
            columns.join(", ")
        ))
        .unwrap();
}

fn insert(connection: &Connection, entity: &EntityType, row: &Json) {
    let values = entity
        .properties
        .iter()
        .map(|property| encode_json(connection, property.ty, &row[property.name]));
    let places: Vec<String> = (1..=entity.properties.len())
        .map(|at| format!("?{at}"))
        .collect();
    let sql = format!(
        "INSERT INTO {} VALUES ({})",
        entity.table,
        places.join(", ")
    );
    connection
        .execute(&sql, rusqlite::params_from_iter(values))
        .unwrap();
}

/// A value of the fixture as it is stored. SQLite's own calendar reads the dates, so that ours is checked
/// against it.
fn encode_json(connection: &Connection, ty: Type, json: &Json) -> rusqlite::types::Value {
    let ask = |sql: &str, text: &str| {
        connection
            .query_row(sql, [text], |row| row.get::<_, f64>(0))
            .unwrap()
    };
    match (ty, json) {
        (_, Json::Null) => rusqlite::types::Value::Null,
        (Type::Date, Json::String(text)) => {
            ((ask("SELECT julianday(?1)", text) - 2_440_587.5) as i64).into()
        }
        (Type::DateTimeOffset, Json::String(text)) => {
            let milliseconds = ask("SELECT round(unixepoch(?1, 'subsec') * 1000)", text);
            (milliseconds as i64 * 10_000).into()
        }
        (_, Json::Bool(truth)) => i64::from(*truth).into(),
        (_, Json::String(text)) => text.clone().into(),
        (Type::Double, Json::Number(number)) => number.as_f64().unwrap().into(),
        (_, Json::Number(number)) => number.as_i64().unwrap().into(),
        other => panic!("the fixture holds no {other:?}"),
    }
}
