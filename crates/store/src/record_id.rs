//! The id of a record: an integer, or a text for users.

use std::fmt;

use super::{StoreError, Value};
use obeya_odata::sql;

/// The id of a record.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordId {
    /// That of all records but users.
    Number(i64),
    /// That of a user.
    Text(String),
}

impl From<i32> for RecordId {
    fn from(id: i32) -> Self {
        Self::Number(id.into())
    }
}

impl From<i64> for RecordId {
    fn from(id: i64) -> Self {
        Self::Number(id)
    }
}

impl From<String> for RecordId {
    fn from(id: String) -> Self {
        Self::Text(id)
    }
}

impl From<&str> for RecordId {
    fn from(id: &str) -> Self {
        Self::Text(id.to_owned())
    }
}

impl RecordId {
    /// As a key in an OData URL: a text stands in single quotation marks (OData URL Conventions, 4.3.1).
    pub fn key(&self) -> String {
        match self {
            Self::Number(id) => id.to_string(),
            Self::Text(id) => format!("'{}'", id.replace('\'', "''")),
        }
    }
}

/// The id of a record whose ids are integers.
impl TryFrom<RecordId> for i32 {
    type Error = StoreError;

    fn try_from(id: RecordId) -> Result<Self, StoreError> {
        let number = match &id {
            RecordId::Number(number) => i32::try_from(*number).ok(),
            RecordId::Text(_) => None,
        };
        number.ok_or_else(|| unexpected(&id, "an integer of 32 bits"))
    }
}

/// The id of a record whose ids are texts.
impl TryFrom<RecordId> for String {
    type Error = StoreError;

    fn try_from(id: RecordId) -> Result<Self, StoreError> {
        match id {
            RecordId::Text(text) => Ok(text),
            RecordId::Number(_) => Err(unexpected(&id, "a text")),
        }
    }
}

fn unexpected(id: &RecordId, expected: &str) -> StoreError {
    StoreError::Engine(format!("a stored id is {id:?} and not {expected}").into())
}

impl<'a> From<&'a RecordId> for Value<'a> {
    fn from(id: &'a RecordId) -> Self {
        match id {
            RecordId::Number(id) => Self::Int(*id),
            RecordId::Text(id) => Self::Text(id),
        }
    }
}

impl From<RecordId> for sql::Value {
    fn from(id: RecordId) -> Self {
        match id {
            RecordId::Number(id) => Self::Int(id),
            RecordId::Text(id) => Self::Text(id),
        }
    }
}

/// As that of the integer or text alone: tokens of next links are bound to it.
impl fmt::Debug for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(id) => fmt::Debug::fmt(id, f),
            Self::Text(id) => fmt::Debug::fmt(id, f),
        }
    }
}

/// As in the address of the record, not encoded.
impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(id) => fmt::Display::fmt(id, f),
            Self::Text(id) => fmt::Display::fmt(id, f),
        }
    }
}
