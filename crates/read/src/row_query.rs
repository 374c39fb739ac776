//! The statements of rows, run one after the other up to a limit.
//!
//! The rows are not written here.

use std::ops::ControlFlow;

use obeya_odata::Bound;
use obeya_odata::sql::{self, Statement};

use super::binds;
use super::row_encoder::RowEncoder;
use obeya_store::engine::{Row, Session, StoreError, Value};

/// The rows to write, and how many.
#[derive(Clone, Copy)]
pub struct RowQuery<'a> {
    /// The query the rows belong to.
    pub query: &'a Bound,
    /// Writes a row.
    pub(crate) encoder: &'a RowEncoder,
    /// The statements that return the rows, one after the other.
    pub statements: &'a [Statement],
    /// The columns to return of the last row written.
    pub keys: &'a [usize],
    /// The most rows to write.
    pub limit: usize,
    /// The most rows to read. The request excludes rows beyond them.
    pub read: usize,
}

impl RowQuery<'_> {
    /// Calls `each` with every row to write and its number from 1. A row at which it breaks is the last one.
    pub(super) fn each(
        &self,
        session: &mut dyn Session,
        mut each: impl FnMut(&dyn Row, usize) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<WrittenRows, StoreError> {
        let mut found = WrittenRows {
            rows: 0,
            has_more: false,
            last: Vec::new(),
        };
        let mut limit = self.limit;
        for statement in self.statements {
            if found.rows >= self.read || found.has_more {
                break;
            }
            session.query(&statement.sql, &binds(statement), &mut |row| {
                if found.rows == limit {
                    found.has_more = true;
                    return Ok(ControlFlow::Break(()));
                }
                found.rows += 1;
                if each(row, found.rows)?.is_break() {
                    limit = found.rows;
                }
                if found.rows == limit {
                    found.last = self.keys_of(row)?;
                }
                Ok(continue_if(found.rows < self.read))
            })?;
        }
        Ok(found)
    }

    /// The columns of a row that are its keys.
    pub(super) fn keys_of(&self, row: &dyn Row) -> Result<Vec<sql::Value>, StoreError> {
        let keys = self.keys.iter().map(|&key| owned(row.value(key)?));
        keys.collect()
    }
}

/// The rows that a query returned.
pub struct WrittenRows {
    /// The number of rows.
    pub rows: usize,
    /// Whether another row follows.
    pub has_more: bool,
    /// The keys of the last row, if the limit or its length made it the last one.
    pub last: Vec<sql::Value>,
}

/// Continues if the next row is wanted.
pub(super) fn continue_if(is_wanted: bool) -> ControlFlow<()> {
    if is_wanted {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}

/// Copies a value of a row.
///
/// # Errors
/// It is bytes, which no property has.
pub fn owned(value: Value<'_>) -> Result<sql::Value, StoreError> {
    Ok(match value {
        Value::Null => sql::Value::Null,
        Value::Int(value) => sql::Value::Int(value),
        Value::Real(value) => sql::Value::Real(value),
        Value::Text(text) => sql::Value::Text(text.to_owned()),
        Value::Bytes(_) => return Err(StoreError::Engine("a property has bytes".into())),
    })
}
