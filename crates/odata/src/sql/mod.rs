//! Bound queries as SQL: one statement for the rows, one for the count, one for each expanded navigation.
//!
//! Values are always bound; identifiers always come from the entity model. What a database forces to be different is in
//! [`Dialect`].

mod dialect;

pub use dialect::{Dialect, Sqlite};

use std::borrow::Cow;

use crate::bind::{Bound, BoundExpand};

/// A value to bind.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// NULL
    Null,
    /// INTEGER: whole numbers, booleans, dates, instants, times, durations.
    Int(i64),
    /// REAL
    Real(f64),
    /// TEXT: strings, GUIDs, members of enumerations.
    Text(String),
}

/// A statement with `?1, ?2 …` and what to bind to them, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// The text.
    pub sql: String,
    /// The values.
    pub binds: Vec<Value>,
}

/// A condition the caller adds, of text that is never a request's.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicate {
    /// SQL with `{t}` for the alias of the queried table and a `?` for each value, such as `{t}.incident_id = ?`.
    pub sql: Cow<'static, str>,
    /// The values, in order.
    pub binds: Vec<Value>,
}

impl Predicate {
    /// A condition and its values.
    pub fn new(sql: impl Into<Cow<'static, str>>, binds: impl Into<Vec<Value>>) -> Self {
        Self {
            sql: sql.into(),
            binds: binds.into(),
        }
    }
}

/// A direction of ordering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Nulls first, then upwards.
    Ascending,
    /// Downwards, nulls last.
    Descending,
}

/// What the caller adds to a query: conditions, an order for when none is asked, and its own paging.
#[derive(Debug, Clone, Default)]
pub struct Scope<'a> {
    /// Conditions that must hold as well: the parent in the path, keyset bounds.
    pub predicates: Vec<Predicate>,
    /// Property names to order by when the query has no `$orderby`; the key always breaks ties.
    pub default_order: &'a [(&'static str, Direction)],
    /// The most rows the caller wants; `$top` can only make it fewer. For an expand: per parent.
    pub limit: Option<u64>,
    /// Rows to leave out beyond `$skip`.
    pub offset: u64,
}

/// The rows of a query: its columns are [`Bound::columns`].
#[must_use]
pub fn select(query: &Bound, dialect: &dyn Dialect, scope: &Scope<'_>) -> Statement {
    let _ = (query, dialect, scope);
    Statement {
        sql: String::new(),
        binds: Vec::new(),
    }
}

/// One row with one column: how many entities match, whatever `$top`, `$skip` and the scope's paging say.
#[must_use]
pub fn count(query: &Bound, dialect: &dyn Dialect, scope: &Scope<'_>) -> Statement {
    let _ = (query, dialect, scope);
    Statement {
        sql: String::new(),
        binds: Vec::new(),
    }
}

/// The expanded rows of all the given parents: the columns of the expand's query, then one more, the link value
/// that says whose they are (it equals the parent's column [`BoundExpand::link`]). Rows of one parent come in the order asked.
#[must_use]
pub fn expand(
    expand: &BoundExpand,
    dialect: &dyn Dialect,
    parents: &[Value],
    scope: &Scope<'_>,
) -> Statement {
    let _ = (expand, dialect, parents, scope);
    Statement {
        sql: String::new(),
        binds: Vec::new(),
    }
}

/// For `$expand=…($count=true)`: a row (link value, count) for each given parent that has any; one without a row has none.
#[must_use]
pub fn expand_count(
    expand: &BoundExpand,
    dialect: &dyn Dialect,
    parents: &[Value],
    scope: &Scope<'_>,
) -> Statement {
    let _ = (expand, dialect, parents, scope);
    Statement {
        sql: String::new(),
        binds: Vec::new(),
    }
}
