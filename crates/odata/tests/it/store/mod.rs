//! The fixture in a database, in the encoding of the entity model, and queries run on it.
//!
//! A test is written once, for any store. [`on_each_engine`] runs it on all of them, and its name includes
//! the engine.

mod postgres;
mod sqlite;

use std::fmt::Write as _;
use std::sync::OnceLock;

use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Dialect, Scope, Statement, Value};
use obeya_odata::{Bound, Context, Error, Limits, OptionName, Options};
use serde_json::Value as Json;

/// 2026-01-01T00:00:00Z, after every date of the fixture.
const NOW: i64 = 20_454 * 864_000_000_000;

/// Makes tests of functions that take a store: `sqlite::name` and `postgres::name` for each.
macro_rules! on_each_engine {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[test]
            fn $name() {
                super::$name(&crate::store::Store::sqlite());
            })+
        }

        mod postgres {
            $(#[test]
            fn $name() {
                super::$name(&crate::store::Store::postgres());
            })+
        }
    };
}
pub(crate) use on_each_engine;

/// The cases and their fixture.
pub fn cases() -> &'static Json {
    static CASES: OnceLock<Json> = OnceLock::new();
    CASES.get_or_init(|| {
        serde_json::from_str(include_str!("../../data/semantic_cases.json")).unwrap()
    })
}

/// How a database treats statements.
trait Engine {
    fn dialect(&self) -> &'static dyn Dialect;
    fn execute(&self, sql: &str);
    fn prepare(&self, statement: &Statement) -> Result<(), String>;
    fn rows(&self, statement: &Statement) -> Result<Vec<Vec<Value>>, String>;
    fn plan(&self, statement: &Statement) -> String;
}

/// A separate database with the fixture, which is removed when this is dropped.
pub struct Store(Box<dyn Engine>);

impl Store {
    pub fn sqlite() -> Self {
        Self(Box::new(sqlite::Memory::new()))
    }

    pub fn postgres() -> Self {
        Self(Box::new(postgres::Database::new()))
    }

    pub fn dialect(&self) -> &'static dyn Dialect {
        self.0.dialect()
    }

    /// Runs statements that return no rows.
    pub fn execute(&self, sql: &str) {
        self.0.execute(sql);
    }

    /// Adds a comment.
    pub fn comment(&self, id: i64, text: &str) {
        let text = text.replace('\'', "''");
        self.execute(&format!(
            "INSERT INTO \"incidentComments\" (id, text) VALUES ({id}, '{text}')"
        ));
    }

    /// The database's plan of a statement, a line for each step.
    pub fn plan(&self, statement: &Statement) -> String {
        self.0.plan(statement)
    }

    /// Whether the database can make a plan of a statement.
    pub fn prepare(&self, statement: &Statement) -> Result<(), String> {
        self.0.prepare(statement)
    }

    /// Everything a statement yields.
    pub fn rows(&self, statement: &Statement) -> Result<Vec<Vec<Value>>, String> {
        self.0.rows(statement)
    }

    /// The keys that a query string selects, in order.
    pub fn ids(&self, entity: &'static EntityType, query: &str) -> Result<Vec<i64>, String> {
        let bound = bind(entity, query).map_err(|error| error.to_string())?;
        let key = bound
            .columns()
            .iter()
            .position(|column| column.name == entity.key)
            .unwrap();
        let statement = sql::select(&bound, self.dialect(), &Scope::default());
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
    bind_with(OptionName::ALL, entity, query)
}

/// The same with the options of a list in pages.
pub fn bind_paged(entity: &'static EntityType, query: &str) -> Result<Bound, Error> {
    bind_with(OptionName::PAGED, entity, query)
}

fn bind_with(
    allowed: &[OptionName],
    entity: &'static EntityType,
    query: &str,
) -> Result<Bound, Error> {
    let limits = Limits::default();
    let (options, _) = Options::parse(query, allowed, &limits)?;
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

/// The rows of the fixture's comments.
fn comments() -> &'static [Json] {
    cases()["fixture"]["incidentComments"].as_array().unwrap()
}
