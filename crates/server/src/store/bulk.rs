//! What an engine needs around many rows that are written in one transaction, as an import does. SQLite needs nothing.

use super::{Dialect, Session, StoreError};

/// Rows after which an engine is told of them at once; of fewer it learns in its own time.
pub(crate) const MANY: u64 = 10_000;

/// To be called before the rows are written.
///
/// # Errors
/// What the engine says, here and below.
pub(crate) fn begin(session: &mut dyn Session) -> Result<(), StoreError> {
    if session.dialect() == Dialect::Postgres {
        // An index of words takes entries into a list and sorts them in when the list is full: the longer it is, the less is sorted in twice. A search
        // reads all of the list, so it is long in this transaction only.
        session.send("SET LOCAL gin_pending_list_limit = '64MB'", &[])?;
        session.send("SET LOCAL work_mem = '64MB'", &[])?;
    }
    Ok(())
}

/// To be called after so many rows were written.
pub(crate) fn end(session: &mut dyn Session, rows: u64) -> Result<(), StoreError> {
    if session.dialect() == Dialect::Postgres && rows >= MANY {
        // What the planner knows of the tables, which may have been empty a moment ago, and the lists of the indexes.
        session.first("SELECT obeya_settle()", &[], |_| Ok(()))?;
    }
    Ok(())
}
