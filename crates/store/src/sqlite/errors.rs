//! Errors of SQLite as [`StoreError`]s.

use rusqlite::{ErrorCode, ffi};

use crate::{StoreError, WriteFault};

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
    if let Some(fault) = write_fault(code) {
        return StoreError::NotWritable(fault, error.to_string());
    }
    match code.code {
        ErrorCode::OperationInterrupted => StoreError::Timeout,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::CannotOpen => {
            StoreError::Unavailable(error.to_string())
        }
        ErrorCode::ConstraintViolation => StoreError::Constraint(message.to_owned()),
        ErrorCode::NotADatabase => StoreError::Schema("the file is not a SQLite database".into()),
        _ => StoreError::Engine(Box::new(error)),
    }
}

/// Whether a commit failed when it was flushed: everything was written by then.
pub(super) fn is_flush_failure(error: &rusqlite::Error) -> bool {
    error.sqlite_error().map(|code| code.extended_code) == Some(ffi::SQLITE_IOERR_FSYNC)
}

/// Why a database takes no writes. SQLite reports a write without space as a full disk, and a flush without
/// space, as on a network file system, as a failed flush.
fn write_fault(code: &ffi::Error) -> Option<WriteFault> {
    match code.extended_code {
        ffi::SQLITE_IOERR_WRITE
        | ffi::SQLITE_IOERR_FSYNC
        | ffi::SQLITE_IOERR_DIR_FSYNC
        | ffi::SQLITE_IOERR_TRUNCATE
        | ffi::SQLITE_IOERR_SHMSIZE
        | ffi::SQLITE_IOERR_SHMOPEN
        | ffi::SQLITE_IOERR_SHMMAP => return Some(WriteFault::DiskFailure),
        _ => {}
    }
    match code.code {
        ErrorCode::DiskFull => Some(WriteFault::DiskFull),
        ErrorCode::ReadOnly => Some(WriteFault::ReadOnly),
        _ => None,
    }
}
