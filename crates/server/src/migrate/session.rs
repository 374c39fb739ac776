//! What a session needs that is to last as long as a migration takes.

use std::ops::ControlFlow;

use crate::store::{Dialect, Session, StoreError};

/// Lets the transaction wait as long as the other database takes: a server ends those that seem forgotten.
pub(crate) fn patient(session: &mut dyn Session) -> Result<(), StoreError> {
    match session.dialect() {
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => session.query(
            "SELECT set_config('idle_in_transaction_session_timeout', '0', true), set_config('statement_timeout', '0', true)",
            &[],
            &mut |_| Ok(ControlFlow::Continue(())),
        ),
    }
}

/// What tells a database from all others of its engine; `None` where its address does.
pub(super) fn identity(session: &mut dyn Session) -> Result<Option<String>, StoreError> {
    match session.dialect() {
        Dialect::Sqlite => Ok(None),
        // A server by the moment it started, the table by its number in its database.
        Dialect::Postgres => {
            let sql = "SELECT concat_ws(' ', pg_postmaster_start_time(), current_database(), 'stamps'::regclass::oid)";
            Ok(session.first(sql, &[], |row| row.string(0))?.flatten())
        }
    }
}
