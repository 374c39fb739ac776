//! A condition that the caller adds to a query.

use std::borrow::Cow;

use crate::value::Value;

/// A condition the caller adds, of text that is never a request's.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicate {
    /// SQL with `{t}` for the alias of the queried table and a `?` for each value, such as `{t}.incident_id =
    /// ?`.
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
