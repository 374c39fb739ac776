//! What an engine needs around many rows that are written in one transaction, as an import does.

use super::{Session, StoreError};

/// Rows after which an engine is told of them at once; of fewer it learns in its own time.
pub const MANY: u64 = 10_000;

/// To be called before the rows are written.
///
/// # Errors
/// What the engine says, here and below.
pub fn begin(session: &mut dyn Session) -> Result<(), StoreError> {
    let statements = session.capabilities().before_bulk_load();
    statements
        .iter()
        .try_for_each(|sql| session.execute_deferred(sql, &[]))
}

/// To be called after so many rows were written.
pub fn end(session: &mut dyn Session, rows: u64) -> Result<(), StoreError> {
    match session.capabilities().after_bulk_load() {
        Some(sql) if rows >= MANY => session.first(sql, &[], |_| Ok(())).map(drop),
        _ => Ok(()),
    }
}
