//! The sequences of tables: no id is issued twice, not even the id of a deleted record.

use super::{Session, StoreError};

/// The highest id that a table has issued or contains.
pub fn last(session: &mut dyn Session, table: &str) -> Result<i64, StoreError> {
    let given = counter(session, table)?;
    let sql = format!("SELECT max(id) FROM {table}");
    let there = session.first(&sql, &[], |row| row.int(0))?;
    Ok(there.flatten().unwrap_or_default().max(given))
}

/// The current value of a table's sequence: the next id is higher.
pub fn counter(session: &mut dyn Session, table: &str) -> Result<i64, StoreError> {
    let capabilities = session.capabilities();
    capabilities.last_of_sequence(session, table)
}

/// Advances a table's sequence if it is lower. That may survive a rollback ([`Capabilities::set_sequence`]),
/// so do it last.
///
/// [`Capabilities::set_sequence`]: super::engine::Capabilities::set_sequence
pub fn advance(session: &mut dyn Session, table: &str, last: i64) -> Result<(), StoreError> {
    if counter(session, table)? >= last {
        return Ok(());
    }
    let capabilities = session.capabilities();
    capabilities.set_sequence(session, table, last)
}
