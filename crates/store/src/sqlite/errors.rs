//! Errors of SQLite as [`StoreError`]s.

use rusqlite::ErrorCode;

use crate::StoreError;

/// Prefix of the message of an error that a registered function returned, which distinguishes it from the
/// engine's: SQLite passes on only a text.
pub(super) const REFUSED: &str = "\u{1}refused: ";

/// The message of a registered function that ended its statement because its budget was used up.
pub(super) const SPENT: &str = "\u{1}spent";

/// How the engine's messages begin where a statement exceeds a limit (`limits.html`). It has no codes for
/// them.
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
