//! Errors of a write: the only error type of everything that runs in its transaction.

use std::error::Error;

use super::idempotency_records::StoredAnswer;
use super::{RecordId, StoreError};
use obeya_rules::error::DomainError;

/// A write that changed nothing.
#[derive(Debug)]
pub enum WriteError {
    /// The store failed.
    Store(StoreError),
    /// A rule refused.
    Domain(DomainError),
    /// There is no such record: its kind, and the id, or the text that names it, in the request.
    Missing(&'static str, RecordId),
    /// The record would not be one that the client is granted.
    NotGranted,
    /// The record has this entity tag, which the condition of the request does not name.
    Changed(String),
    /// The condition names entity tags, and what is written has none.
    Untagged,
    /// The request was carried out before, with this answer.
    Repeated(StoredAnswer),
    /// The idempotency key belongs to another request.
    OtherRequest,
    /// The client may not use another idempotency key for so many seconds.
    OverQuota(i64),
    /// The answer could not be encoded.
    Encoding(Box<dyn Error + Send + Sync>),
}

impl From<StoreError> for WriteError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<DomainError> for WriteError {
    fn from(error: DomainError) -> Self {
        Self::Domain(error)
    }
}

impl From<serde_json::Error> for WriteError {
    fn from(error: serde_json::Error) -> Self {
        Self::Encoding(error.into())
    }
}
