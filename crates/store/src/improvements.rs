//! Statements over improvements.

use super::engine::{Value, present};
use super::tables::improvements::ImprovementRow;
use super::{Session, StoreError};

/// The improvement as it is stored.
pub fn find(session: &mut dyn Session, id: i32) -> Result<Option<ImprovementRow>, StoreError> {
    let sql = &ImprovementRow::statements().find;
    session.first(sql, &[id.into()], ImprovementRow::read)
}

/// Replaces what a write sets.
pub fn update(session: &mut dyn Session, row: &ImprovementRow) -> Result<(), StoreError> {
    let mut binds = vec![row.id.into()];
    binds.extend(row.written());
    session.execute_deferred(&ImprovementRow::statements().update, &binds)
}

/// Adds an improvement; its id.
pub fn insert(session: &mut dyn Session, row: &ImprovementRow) -> Result<i32, StoreError> {
    let binds: Vec<Value<'_>> = row.written().collect();
    let sql = &ImprovementRow::statements().insert;
    present(session.first(sql, &binds, |row| row.int32(0))?.flatten())
}

/// Removes the improvement, and returns it if it was there.
pub fn delete(session: &mut dyn Session, id: i32) -> Result<Option<ImprovementRow>, StoreError> {
    let found = find(session, id)?;
    if found.is_some() {
        session.execute_deferred("DELETE FROM improvements WHERE id = ?1", &[id.into()])?;
    }
    Ok(found)
}
