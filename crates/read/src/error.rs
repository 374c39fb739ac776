//! Why a read gives no answer. What that means over HTTP is said elsewhere, in one place (`ops/errors.rs`).

use std::fmt;

use obeya_store::engine::StoreError;

/// A read that gives no answer.
#[derive(Debug)]
pub enum ReadError {
    /// An option of the query is wrong.
    Query(obeya_odata::Error),
    /// A parameter beside the options is wrong: its name, and what is wrong with it.
    Parameter(String, String),
    /// A `$skiptoken` that does not say where to go on.
    SkipToken(&'static str),
    /// There is no such record: what it is, and the id that was asked for.
    NotFound(&'static str, i64),
    /// What is expanded passes a limit.
    TooMuch(Excess),
    /// The store failed.
    Store(StoreError),
}

/// What there is too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excess {
    /// What it is.
    pub what: &'static str,
    /// The most there may be.
    pub limit: usize,
    /// What is counted.
    pub unit: &'static str,
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, limit, unit } = self;
        write!(
            f,
            "the {what} would pass the limit of {limit} {unit}; ask for fewer rows with $top or expand less"
        )
    }
}

impl ReadError {
    /// A parameter with what is wrong with it.
    pub(super) fn parameter(name: &str, text: impl Into<String>) -> Self {
        Self::Parameter(name.to_owned(), text.into())
    }
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<obeya_odata::Error> for ReadError {
    fn from(error: obeya_odata::Error) -> Self {
        Self::Query(error)
    }
}
