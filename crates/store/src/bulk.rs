//! Statements before and after many rows are written in one transaction, as by an import.

use super::{Session, StoreError};

/// Number of rows after which the statistics of an engine are updated at once; for fewer it does so itself.
pub const MANY: u64 = 10_000;

/// Call this before the rows are written.
///
/// # Errors
/// The engine fails, here and below.
pub fn begin(session: &mut dyn Session) -> Result<(), StoreError> {
    let statements = session.capabilities().before_bulk_load();
    statements
        .iter()
        .try_for_each(|sql| session.execute_deferred(sql, &[]))
}

/// Call this after the rows were written.
pub fn end(session: &mut dyn Session, rows: u64) -> Result<(), StoreError> {
    match session.capabilities().after_bulk_load() {
        Some(sql) if rows >= MANY => session.first(sql, &[], |_| Ok(())).map(drop),
        _ => Ok(()),
    }
}
