//! Errors of SQLite as [`StoreError`]s.

use rusqlite::ErrorCode;

use crate::StoreError;

/// The prefix of error messages of registered functions, which distinguishes them from errors of SQLite: only
/// the text of an error is passed on.
pub(super) const REFUSED: &str = "\u{1}refused: ";

/// The message of a registered function that ended its statement because its budget was used up.
pub(super) const SPENT: &str = "\u{1}spent";

/// The prefixes of messages for exceeded limits (`limits.html`), which have no error codes of their own.
const CEILINGS: [&str; 7] = [
    "at most 64 tables in a join",
    "too many SQL variables",
    "variable number must be between",
    "too many columns in",
    "too many terms in",
    "Expression tree is too large",
    "parser stack overflow",
];

/// Maps an error of the engine to the kinds that callers handle.
pub(super) fn store_error(error: rusqlite::Error) -> StoreError {
    let rusqlite::Error::SqliteFailure(code, message) = &error else {
        return StoreError::Engine(Box::new(error));
    };
    let message = message.as_deref().unwrap_or_default();
    if let Some(refusal) = message.strip_prefix(REFUSED) {
        return StoreError::Data(refusal.to_owned());
    }
    if message == SPENT {
        return StoreError::Timeout;
    }
    if CEILINGS.iter().any(|ceiling| message.starts_with(ceiling)) {
        return StoreError::Limit(message.to_owned());
    }
    match code.code {
        ErrorCode::OperationInterrupted => StoreError::Timeout,
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::DiskFull
        | ErrorCode::CannotOpen => StoreError::Unavailable(error.to_string()),
        ErrorCode::ConstraintViolation => StoreError::Constraint(message.to_owned()),
        ErrorCode::NotADatabase => StoreError::Schema("the file is not a SQLite database".into()),
        _ => StoreError::Engine(Box::new(error)),
    }
}
