//! The fixture in SQLite, in the encoding of the entity model, and queries run on it.

use std::fmt::Write as _;
use std::sync::OnceLock;

use obeya_odata::edm::{EntityType, Type};
use obeya_odata::functions::{Arg, Out, SCALARS};
use obeya_odata::sql::{self, Scope, Sqlite, Statement, Value};
use obeya_odata::{Bound, Context, Error, Limits, OptionName, Options, search};
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use serde_json::Value as Json;

use crate::model::ENTITIES;

/// 2026-01-01T00:00:00Z, after every date of the fixture.
const NOW: i64 = 20_454 * 864_000_000_000;

/// The cases and their fixture.
pub fn cases() -> &'static Json {
    static CASES: OnceLock<Json> = OnceLock::new();
    CASES.get_or_init(|| serde_json::from_str(include_str!("../data/semantic_cases.json")).unwrap())
}

/// A database in memory that holds the fixture.
pub struct Store(Connection);

impl Store {
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
                "CREATE VIRTUAL TABLE comment_words USING fts5(words, tokenize='ascii');
                 CREATE VIRTUAL TABLE comment_parts USING fts5(text, content='', detail=none, tokenize='trigram case_sensitive 1');
                 CREATE TRIGGER comment_parts_follow AFTER INSERT ON incidentComments BEGIN
                     INSERT INTO comment_parts (rowid, text) VALUES (new.id, new.text);
                 END;
                 INSERT INTO comment_parts (rowid, text) SELECT id, text FROM incidentComments;",
            )
            .unwrap();
        for row in cases()["fixture"]["incidentComments"].as_array().unwrap() {
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

    /// Adds a comment.
    pub fn comment(&self, id: i64, text: &str) {
        self.0
            .execute(
                "INSERT INTO incidentComments (id, text) VALUES (?1, ?2)",
                (id, text),
            )
            .unwrap();
    }

    /// How the database goes about a statement, a line for each step.
    pub fn plan(&self, statement: &Statement) -> String {
        let sql = format!("EXPLAIN QUERY PLAN {}", statement.sql);
        let mut prepared = self.0.prepare(&sql).unwrap();
        let binds = statement.binds.iter().map(Bind);
        let steps = prepared.query_map(rusqlite::params_from_iter(binds), |row| {
            row.get::<_, String>(3)
        });
        let steps: rusqlite::Result<Vec<String>> = steps.unwrap().collect();
        steps.unwrap().join("\n")
    }

    /// Whether the database can make a plan of a statement.
    pub fn prepare(&self, statement: &Statement) -> rusqlite::Result<()> {
        self.0.prepare(&statement.sql).map(drop)
    }

    /// Everything a statement yields.
    pub fn rows(&self, statement: &Statement) -> rusqlite::Result<Vec<Vec<Value>>> {
        let mut prepared = self.0.prepare(&statement.sql)?;
        let width = prepared.column_count();
        let binds = statement.binds.iter().map(Bind);
        prepared
            .query_map(rusqlite::params_from_iter(binds), |row| {
                (0..width).map(|at| Ok(value(row.get_ref(at)?))).collect()
            })?
            .collect()
    }

    /// The keys that a query string selects, in order.
    pub fn ids(&self, entity: &'static EntityType, query: &str) -> Result<Vec<i64>, String> {
        let bound = bind(entity, query).map_err(|error| error.to_string())?;
        let key = bound
            .columns()
            .iter()
            .position(|column| column.name == entity.key)
            .unwrap();
        let statement = sql::select(&bound, &Sqlite, &Scope::default());
        let rows = self
            .rows(&statement)
            .map_err(|error| format!("{error}: {}", statement.sql))?;
        Ok(rows.iter().map(|row| int(&row[key])).collect())
    }

    /// The keys that a plain `$filter` selects.
    pub fn filter(&self, entity: &'static EntityType, filter: &str) -> Result<Vec<i64>, String> {
        self.ids(entity, &format!("$filter={}", encode(filter)))
    }
}

/// A query string bound to an entity with default limits.
pub fn bind(entity: &'static EntityType, query: &str) -> Result<Bound, Error> {
    let limits = Limits::default();
    let (options, _) = Options::parse(query, OptionName::ALL, &limits)?;
    options.bind(entity, &Context { now: NOW, limits })
}

/// A text as one value of a query string.
pub fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").unwrap();
        }
    }
    out
}

pub fn int(value: &Value) -> i64 {
    match value {
        Value::Int(number) => *number,
        other => panic!("expected an integer, found {other:?}"),
    }
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
        let function = |context: &rusqlite::functions::Context<'_>| {
            let args: Vec<Arg<'_>> = (0..context.len())
                .map(|at| match context.get_raw(at) {
                    ValueRef::Integer(number) => Arg::Int(number),
                    ValueRef::Real(number) => Arg::Real(number),
                    ValueRef::Text(text) => Arg::Text(std::str::from_utf8(text).unwrap()),
                    ValueRef::Null | ValueRef::Blob(_) => Arg::Null,
                })
                .collect();
            let out = (scalar.call)(&args)
                .map_err(|error| rusqlite::Error::UserFunctionError(error.into()))?;
            Ok(match out {
                Out::Null => rusqlite::types::Value::Null,
                Out::Int(number) => number.into(),
                Out::Real(number) => number.into(),
                Out::Text(text) => text.into(),
            })
        };
        connection
            .create_scalar_function(scalar.name, scalar.arity, flags, function)
            .unwrap();
    }
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

/// A value of the fixture as it is stored. SQLite's own calendar reads the dates, so that ours is checked against it.
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
