//! Prefetched queries, and their rows as they arrive.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use super::values::{Columns, Owned};
use crate::{EachRow, StoreError, Value};

/// The queries that were prefetched and not used yet.
#[derive(Default)]
pub(super) struct Prefetched {
    queries: Vec<Query>,
}

struct Query {
    sql: String,
    binds: Vec<Owned>,
    rows: Rows,
}

/// The rows of a query, once they have arrived.
#[derive(Clone, Default)]
pub(super) struct Rows {
    /// `None` until then, and after an error.
    found: Arc<Mutex<Option<Vec<tokio_postgres::Row>>>>,
}

impl Prefetched {
    /// Adds a query that is being sent; returns the slot for its rows.
    pub(super) fn add(&mut self, sql: &str, binds: &[Value<'_>]) -> Rows {
        let rows = Rows::default();
        self.queries.push(Query {
            sql: sql.to_owned(),
            binds: binds.iter().map(|bind| Owned::from(*bind)).collect(),
            rows: rows.clone(),
        });
        rows
    }

    /// The rows of a statement with these values, if it was prefetched.
    pub(super) fn take(&mut self, sql: &str, binds: &[Value<'_>]) -> Option<Rows> {
        let is_it = |query: &Query| {
            query.sql == sql
                && query.binds.len() == binds.len()
                && query.binds.iter().zip(binds).all(|(a, b)| a.value() == *b)
        };
        let index = self.queries.iter().position(is_it)?;
        Some(self.queries.remove(index).rows)
    }

    /// Drops the queries that were not used.
    pub(super) fn clear(&mut self) {
        self.queries.clear();
    }
}

impl Rows {
    /// Stores the rows until they are used.
    pub(super) fn set(&self, rows: Vec<tokio_postgres::Row>) {
        // One assignment, so a poisoned lock is safe to use.
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(rows);
    }

    /// Calls `each` with each row, until that breaks or fails.
    pub(super) fn deliver(self, each: &mut EachRow<'_>) -> Result<(), StoreError> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(rows) = found.take() else {
            return Err(StoreError::Engine(
                "the rows of a prefetched query did not arrive".into(),
            ));
        };
        for row in rows {
            if let ControlFlow::Break(()) = each(&Columns(row))? {
                break;
            }
        }
        Ok(())
    }
}
