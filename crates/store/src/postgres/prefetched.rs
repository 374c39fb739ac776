//! What was asked before it is wanted: the statements, and their rows as they come.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use super::values::{Columns, Owned};
use crate::{EachRow, StoreError, Value};

/// What is prefetched and not yet asked for.
#[derive(Default)]
pub(super) struct Prefetched {
    queries: Vec<Query>,
}

struct Query {
    sql: String,
    binds: Vec<Owned>,
    rows: Rows,
}

/// The rows of one, once they are here.
#[derive(Clone, Default)]
pub(super) struct Rows {
    found: Arc<Mutex<Vec<tokio_postgres::Row>>>,
}

impl Prefetched {
    /// Adds a statement that is being sent; where its rows belong.
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

    /// Forgets all that nobody asked for.
    pub(super) fn clear(&mut self) {
        self.queries.clear();
    }
}

impl Rows {
    /// Keeps them until they are asked for.
    pub(super) fn set(&self, rows: Vec<tokio_postgres::Row>) {
        // One assignment, so a panic elsewhere leaves nothing to mend.
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = rows;
    }

    /// Gives each to `each`, until that breaks or fails.
    pub(super) fn deliver(self, each: &mut EachRow<'_>) -> Result<(), StoreError> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for row in std::mem::take(&mut *found) {
            if let ControlFlow::Break(()) = each(&Columns(row))? {
                break;
            }
        }
        Ok(())
    }
}
