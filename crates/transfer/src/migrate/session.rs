//! What a session needs that is to last as long as a migration takes.

use std::ops::ControlFlow;

use obeya_store::{Session, StoreError};

/// Lets the transaction wait as long as the other database takes: a server ends those that seem forgotten.
pub(crate) fn patient(session: &mut dyn Session) -> Result<(), StoreError> {
    match session.capabilities().lift_transaction_limits() {
        None => Ok(()),
        Some(sql) => session.query(sql, &[], &mut |_| Ok(ControlFlow::Continue(()))),
    }
}

/// What tells a database from all others of its engine; `None` where its address does.
pub(super) fn identity(session: &mut dyn Session) -> Result<Option<String>, StoreError> {
    match session.capabilities().identity() {
        None => Ok(None),
        Some(sql) => Ok(session.first(sql, &[], |row| row.string(0))?.flatten()),
    }
}
