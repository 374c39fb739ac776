//! Errors of PostgreSQL and of the connection to it as [`StoreError`]s.
//!
//! Messages of the server are logged; they name tables and privileges, and contain no password.

use std::error::Error as _;

use obeya_odata::functions::postgres::fault;
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, Severity, SqlState};

use crate::{StoreError, WriteFault};

/// A failure on a connection: the error for callers, and its effects on the connection.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: StoreError,
    /// The connection is unusable.
    pub(super) is_lost: bool,
    /// A conflict with another transaction.
    pub(super) is_conflict: bool,
    /// The prepared statement is stale: its tables were changed, or a pooler assigned another server
    /// connection.
    pub(super) is_stale: bool,
    /// It is not known whether the statement was executed, as after an error of a pooler.
    pub(super) is_unknown: bool,
    /// The user lacks a privilege.
    pub(super) is_forbidden: bool,
}

impl Failure {
    /// The connection is lost, for this reason.
    pub(super) fn lost(reason: impl std::fmt::Display) -> Self {
        Failure {
            is_lost: true,
            ..Failure::from(StoreError::Unavailable(format!(
                "the connection to the database was lost: {reason}"
            )))
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Failure {
            error,
            is_lost: false,
            is_conflict: false,
            is_stale: false,
            is_unknown: false,
            is_forbidden: false,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let Some(said) = error.as_db_error() else {
            return unsaid(error);
        };
        let code = said.code();
        Failure {
            error: sorted(code, said),
            is_lost: matches!(
                said.parsed_severity(),
                Some(Severity::Fatal | Severity::Panic)
            ),
            is_conflict: matches!(
                *code,
                SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED
            ),
            is_stale: *code == SqlState::INVALID_SQL_STATEMENT_NAME
                || (*code == SqlState::FEATURE_NOT_SUPPORTED
                    // The code, not the message, because servers translate messages.
                    && said.routine() == Some("RevalidateCachedQuery")),
            is_unknown: matches!(
                *code,
                SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN
                    | SqlState::TRANSACTION_RESOLUTION_UNKNOWN
            ),
            is_forbidden: matches!(
                *code,
                SqlState::INSUFFICIENT_PRIVILEGE | SqlState::READ_ONLY_SQL_TRANSACTION
            ),
        }
    }
}

/// Why no connection could be made to `place`.
pub(super) fn connect_error(error: &Error, place: &str) -> StoreError {
    let reason = match error.as_db_error() {
        Some(said) => said.message().to_owned(),
        None => with_causes(error),
    };
    StoreError::Unavailable(format!("{place} cannot be used: {reason}"))
}

/// Maps an error of the server to the kinds that callers handle.
fn sorted(code: &SqlState, said: &DbError) -> StoreError {
    let text = || said.message().to_owned();
    let (class, _) = code.code().split_at_checked(2).unwrap_or_default();
    match *code {
        SqlState::QUERY_CANCELED => return StoreError::Timeout,
        SqlState::LOCK_NOT_AVAILABLE => {
            return StoreError::Unavailable(format!("waited for a lock in vain: {}", text()));
        }
        SqlState::INSUFFICIENT_PRIVILEGE => {
            return StoreError::Unavailable(format!("the database user lacks a right: {}", text()));
        }
        SqlState::DISK_FULL => return StoreError::NotWritable(WriteFault::DiskFull, text()),
        SqlState::IO_ERROR => return StoreError::NotWritable(WriteFault::DiskFailure, text()),
        SqlState::READ_ONLY_SQL_TRANSACTION => {
            return StoreError::NotWritable(WriteFault::Standby, text());
        }
        // `BEGIN … READ WRITE` on a standby. The routine, not the message, because servers translate
        // messages.
        SqlState::FEATURE_NOT_SUPPORTED if said.routine() == Some("call_bool_check_hook") => {
            return StoreError::NotWritable(WriteFault::Standby, text());
        }
        SqlState::UNDEFINED_TABLE | SqlState::INVALID_SCHEMA_NAME => {
            return StoreError::Schema(format!("the schema is not what it was: {}", text()));
        }
        _ => {}
    }
    if let Some(fault) = fault(code.code()) {
        return StoreError::Data(fault.to_string());
    }
    match class {
        // Error classes: connection, authorisation, resources, operator intervention, conflicts, I/O.
        "08" | "28" | "53" | "57" | "40" | "58" | "3D" => StoreError::Unavailable(text()),
        // A session that exceeded its time limit fails on its next use.
        "25" if said.parsed_severity() == Some(Severity::Fatal) => StoreError::Unavailable(text()),
        "23" => StoreError::Constraint(match said.constraint() {
            Some(constraint) => format!("{} ({constraint})", text()),
            None => text(),
        }),
        // Messages of the server include tables and indexes.
        "54" if *code == SqlState::PROGRAM_LIMIT_EXCEEDED => {
            StoreError::Limit("a text is longer than an index takes".into())
        }
        "54" => StoreError::Limit("a statement is too large or too deeply nested".into()),
        _ => StoreError::Engine(format!("{}: {}", code.code(), text()).into()),
    }
}

/// A failure without a message from the server: a network error, or a value of the wrong type.
fn unsaid(error: Error) -> Failure {
    let is_io = error
        .source()
        .is_some_and(<dyn std::error::Error>::is::<std::io::Error>);
    if error.is_closed() || is_io {
        return Failure::lost(with_causes(&error));
    }
    StoreError::Engine(Box::new(error)).into()
}

pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text.push_str(": ");
        text.push_str(&next.to_string());
        cause = next.source();
    }
    text
}
