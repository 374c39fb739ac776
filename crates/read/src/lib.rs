//! The read engine: a bound query becomes one or a few statements, and their rows become the bytes of the
//! answer.
//!
//! There is no struct and no JSON tree between a row and the answer. A read by id alone goes through
//! [`PointQuery`], a fixed statement that runs inline. A read whose cost depends on the request (a list, an
//! option, a page) runs on the store's readers. Only text from the entity model and from this crate reaches a
//! statement; values are bound.

mod cached_count;
mod error;
mod expanded_next_links;
mod expanded_rows;
mod json;
mod level;
mod list;
mod outcome;
mod page;
mod page_encoder;
mod page_parameters;
mod parent;
mod partitioned_count;
mod point_query;
mod prepared;
mod query_cache;
mod record;
mod records;
mod related;
mod request;
mod row_encoder;
mod row_query;
mod rows;
mod rows_by_owner;
mod seek_cache;
mod serialize;
mod series;
mod sink;
mod skip_token;
pub mod text;
mod time;

pub use error::ReadError;
pub use list::{List, end_list};
pub use outcome::ReadOutcome;
pub use page::ValuePage;
pub use page_parameters::Period;
pub use parent::Parent;
pub use point_query::{LookUp, PointQuery};
pub use prepared::{Cost, Prepared, run};
pub use record::{RecordForm, RecordPlan, RowPlan};
pub use records::Records;
pub use related::Related;
pub use request::{ReadRequest, check_options, whole_record_context, with_context};
pub use serialize::{to_string, to_vec};
pub use sink::Sink;
pub use skip_token::{NextPage, TokenSigner};

use obeya_odata::Bound;
use obeya_odata::sql::{self, Scope, Statement};

use obeya_store::engine::{Session, StoreError, Value};
use obeya_store::entities::is_joined;

/// Caches that reads share. They never hold rows, and an entry is never wrong: it belongs to one state of the
/// data.
#[derive(Debug, Default)]
pub struct ReadCaches {
    seek: seek_cache::SeekCache,
    queries: query_cache::QueryCache,
    /// The same for callers who do not see user names.
    queries_without_user_names: query_cache::QueryCache,
}

/// The statement that counts all rows of a query.
fn count_statement(query: &Bound, dialect: &dyn sql::Dialect, scope: &Scope<'_>) -> Statement {
    if is_joined(query.entity()) {
        sql::count_joined(query, dialect, scope)
    } else {
        sql::count(query, dialect, scope)
    }
}

/// Runs a statement that counts.
fn count(session: &mut dyn Session, statement: &Statement) -> Result<i64, StoreError> {
    let count = session.first(&statement.sql, &binds(statement), |row| row.int(0))?;
    Ok(count.flatten().unwrap_or_default())
}

/// The bound values of a statement, as the store takes them.
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
