//! The sequences of tables: no id is issued twice, not even the id of a deleted record.
//!
//! Incidents and improvements have a sequence of the engine. The ids of other records were imported before
//! the service issued any: such a table has a row in `counters`, which exists from the first id that was
//! issued, or from the first record that was deleted. The next id is above that and above all in use.

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

/// Issues an id of a table with a counter.
///
/// # Errors
/// The engine fails, or no id is left, as ids are integers of 32 bits.
pub fn issue(session: &mut dyn Session, table: &str) -> Result<i32, StoreError> {
    let id = i32::try_from(highest(session, table)?.saturating_add(1))
        .map_err(|_| StoreError::Engine(format!("the table {table} has no ids left").into()))?;
    raise_counter(session, table, id.into())?;
    Ok(id)
}

/// Records the ids in use in a table with a counter. Call it before records are deleted, so that their ids
/// are not issued again.
pub fn retain(session: &mut dyn Session, table: &str) -> Result<(), StoreError> {
    let last = highest(session, table)?;
    raise_counter(session, table, last)
}

/// The highest id that a table with a counter has issued or contains; 0 if it has none.
pub fn highest(session: &mut dyn Session, table: &str) -> Result<i64, StoreError> {
    let counted = counted(session, table)?.unwrap_or_default();
    let sql = format!("SELECT max(id) FROM {table}");
    let in_use = session.first(&sql, &[], |row| row.int(0))?;
    Ok(in_use.flatten().unwrap_or_default().max(counted))
}

/// The value of a counter, if there is one.
pub fn counted(session: &mut dyn Session, name: &str) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT last FROM counters WHERE name = ?1";
    let last = session.first(sql, &[name.into()], |row| row.int(0))?;
    Ok(last.flatten())
}

/// Makes the next id of a counter higher than this one.
pub fn raise_counter(session: &mut dyn Session, name: &str, last: i64) -> Result<(), StoreError> {
    let sql = "INSERT INTO counters (name, last) VALUES (?1, ?2)
        ON CONFLICT (name) DO UPDATE SET last = excluded.last WHERE counters.last < excluded.last";
    session.execute_deferred(sql, &[name.into(), last.into()])
}
