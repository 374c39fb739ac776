//! Errors of a read. The service turns them into HTTP problems (`ops/errors.rs`).

use std::fmt;

use obeya_store::RecordId;
use obeya_store::engine::StoreError;

/// Why a read fails.
#[derive(Debug)]
pub enum ReadError {
    /// A query option is not valid.
    Query(obeya_odata::Error),
    /// A parameter that is no query option is not valid: its name, and the reason.
    Parameter(String, String),
    /// The `$skiptoken` is not valid: the reason.
    SkipToken(&'static str),
    /// The record does not exist: its kind, and the requested id.
    NotFound(&'static str, RecordId),
    /// The expanded rows exceed a limit.
    LimitExceeded(Excess),
    /// There is no memory for the answer now.
    OutOfMemory,
    /// The store failed.
    Store(StoreError),
}

/// A limit that an answer would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excess {
    /// What is limited.
    pub what: &'static str,
    /// The limit.
    pub limit: usize,
    /// The unit of the limit.
    pub unit: &'static str,
}

impl Excess {
    /// The expanded rows of one request, over all levels.
    pub(super) const EXPANDED_ROWS: Self = Self {
        what: "expanded rows",
        limit: 100_000,
        unit: "rows",
    };
    /// The bytes of one record with its expanded rows. Expanding in both directions
    /// (`incident($expand=comments)`) multiplies the rows that were read.
    pub(super) const BYTES: Self = Self {
        what: "answer",
        limit: 64 << 20,
        unit: "bytes",
    };
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
    /// An error of a parameter.
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
