//! The read engine: a bound query becomes one or few statements, and their rows become the bytes of the answer.
//!
//! There is no struct and no JSON tree between a row and the answer. What is read by id alone goes through [`Point`], a fixed statement run inline; whatever
//! costs what the request says it costs (a list, an option, a page) runs on the store's readers. Only text that the entity model and this module hold
//! reaches a statement; values are bound.

mod anchors;
mod arrow;
mod bounds;
mod compiled;
mod context;
mod counted;
mod csv;
mod held;
mod json;
mod level;
mod link;
mod list;
mod options;
mod page;
mod point;
mod position;
mod record;
mod records;
mod related;
mod serialize;
mod series;
mod shape;
mod sheet;
mod stream;
mod tags;
mod tally;
mod time;

pub(crate) use bounds::Period;
pub(crate) use list::{List, Parent};
pub(crate) use options::check as check_options;
pub(crate) use page::Page;
pub(crate) use point::Point;
pub(crate) use position::Signer;
pub(crate) use record::{RecordPlan, RowPlan};
pub(crate) use records::{Form, Records};
pub(crate) use related::Related;
pub(crate) use serialize::{to_string, to_vec};

use obeya_odata::Bound;
use obeya_odata::sql::{self, Scope, Statement};

use crate::config::Limits;
use crate::entities::is_joined;
use crate::store::engine::{Session, StoreError, Value};

/// What the reads of one service share and remember.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    anchors: anchors::Anchors,
    queries: compiled::Queries,
    room: stream::Room,
    lists: held::Lists,
}

impl Memory {
    /// Of a service with these limits.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            lists: held::Lists::new(limits),
            ..Self::default()
        }
    }

    /// Bytes of answers that lie in memory until their clients take them.
    pub(crate) fn held_bytes(&self) -> usize {
        self.room.held() + self.lists.held()
    }
}

/// The statement for the number of all rows.
fn counting(query: &Bound, dialect: &dyn sql::Dialect, scope: &Scope<'_>) -> Statement {
    if is_joined(query.entity()) {
        sql::count_joined(query, dialect, scope)
    } else {
        sql::count(query, dialect, scope)
    }
}

/// The number that a statement counts.
fn count(session: &mut dyn Session, statement: &Statement) -> Result<i64, StoreError> {
    let count = session.first(&statement.sql, &binds(statement), |row| row.int(0))?;
    Ok(count.flatten().unwrap_or_default())
}

/// A statement's values, as the store takes them.
fn binds(statement: &Statement) -> Vec<Value<'_>> {
    statement.binds.iter().map(bind).collect()
}

fn bind(value: &sql::Value) -> Value<'_> {
    match value {
        sql::Value::Null => Value::Null,
        sql::Value::Int(value) => Value::Int(*value),
        sql::Value::Real(value) => Value::Real(*value),
        sql::Value::Text(value) => Value::Text(value),
    }
}
