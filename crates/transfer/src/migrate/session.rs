//! Prepares a session for a transaction that lasts as long as a migration.

use std::ops::ControlFlow;

use obeya_store::{Session, StoreError};

/// Lifts the limits on the duration of the transaction: a server ends one that idles for long.
pub(crate) fn lift_time_limits(session: &mut dyn Session) -> Result<(), StoreError> {
    match session.capabilities().lift_transaction_limits() {
        None => Ok(()),
        Some(sql) => session.query(sql, &[], &mut |_| Ok(ControlFlow::Continue(()))),
    }
}

/// A unique identity of a database within its engine; `None` if its address is the identity.
pub(super) fn identity(session: &mut dyn Session) -> Result<Option<String>, StoreError> {
    match session.capabilities().identity() {
        None => Ok(None),
        Some(sql) => Ok(session.first(sql, &[], |row| row.string(0))?.flatten()),
    }
}
