//! The counters of the tables that give ids: no id that was ever given is given again, not even that of a
//! record that is gone.

use super::{Session, StoreError};

/// The highest id that a table has given, or has.
pub fn last(session: &mut dyn Session, table: &str) -> Result<i64, StoreError> {
    let given = counter(session, table)?;
    let sql = format!("SELECT max(id) FROM {table}");
    let there = session.first(&sql, &[], |row| row.int(0))?;
    Ok(there.flatten().unwrap_or_default().max(given))
}

/// What a table's counter stands at: the next id is a higher one.
pub fn counter(session: &mut dyn Session, table: &str) -> Result<i64, StoreError> {
    let capabilities = session.capabilities();
    capabilities.last_of_sequence(session, table)
}

/// Moves a table's counter on, if it stands lower. It may stay so whatever becomes of the transaction
/// ([`Capabilities::set_sequence`]): to be done at the end.
///
/// [`Capabilities::set_sequence`]: super::engine::Capabilities::set_sequence
pub fn pass(session: &mut dyn Session, table: &str, last: i64) -> Result<(), StoreError> {
    if counter(session, table)? >= last {
        return Ok(());
    }
    let capabilities = session.capabilities();
    capabilities.set_sequence(session, table, last)
}
