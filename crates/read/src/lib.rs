//! The read engine: a bound query becomes one or few statements, and their rows become the bytes of the
//! answer.
//!
//! There is no struct and no JSON tree between a row and the answer. What is read by id alone goes through
//! [`Point`], a fixed statement run inline; whatever costs what the request says it costs (a list, an option,
//! a page) runs on the store's readers. Only text that the entity model and this module hold reaches a
//! statement; values are bound.

mod bounds;
mod cached_count;
mod error;
mod found;
mod json;
mod level;
mod list;
mod page;
mod page_encoder;
mod partitioned_count;
mod point;
mod position;
mod prepared;
mod query_cache;
mod record;
mod records;
mod related;
mod request;
mod row_encoder;
mod seek_cache;
mod serialize;
mod series;
mod sink;
pub mod text;
mod time;

pub use bounds::Period;
pub use error::ReadError;
pub use found::Found;
pub use list::{List, Parent, end_list};
pub use page::ValuePage;
pub use point::Point;
pub use position::{Next, Signer};
pub use prepared::{Cost, Prepared, run};
pub use record::{Form, RecordPlan, RowPlan};
pub use records::Records;
pub use related::Related;
pub use request::{ReadRequest, check_options};
pub use serialize::{to_string, to_vec};
pub use sink::Sink;

use obeya_odata::Bound;
use obeya_odata::sql::{self, Scope, Statement};

use obeya_store::engine::{Session, StoreError, Value};
use obeya_store::entities::is_joined;

/// What reads leave behind for later ones: never rows, and nothing that can be wrong.
#[derive(Debug, Default)]
pub struct ReadCaches {
    seek: seek_cache::SeekCache,
    queries: query_cache::QueryCache,
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
