//! Statements over incidents. Only those about the trash see an incident in the trash.

mod parts;
mod purge;
mod trash;

pub use parts::{
    CATEGORIES, CAUSES, CONSEQUENCES, CUSTOM_FIELDS, FieldValue, StoredParts, add_categories,
    add_causes, add_consequences, add_custom_fields, clear_parts, custom_field,
    prefetch_custom_field, set_categories, set_causes, set_consequences, set_custom_field,
};
pub use purge::{RETENTION_DAYS, RETENTION_TICKS, purge, purge_confirmed, purge_some, trash_guard};
pub use trash::{Deleted, delete, find_deleted, prefetch_deleted, restore};

use super::engine::{Value, present};
use super::tables::incidents::IncidentRow;
use super::{Session, StoreError, search};

/// Prefetches what [`find`] reads.
pub fn prefetch(session: &mut dyn Session, id: i32) -> Result<(), StoreError> {
    session.prefetch(&IncidentRow::statements().find, &[id.into()])
}

/// The incident, unless it is in the trash.
pub fn find(session: &mut dyn Session, id: i32) -> Result<Option<IncidentRow>, StoreError> {
    let sql = &IncidentRow::statements().find;
    let found = session.first(sql, &[id.into()], IncidentRow::read)?;
    Ok(found.filter(|incident| incident.deleted_date.is_none()))
}

/// Adds an incident; its id.
pub fn insert(session: &mut dyn Session, row: &IncidentRow) -> Result<i32, StoreError> {
    let binds: Vec<Value<'_>> = row.written().collect();
    let sql = &IncidentRow::statements().insert;
    let id = present(session.first(sql, &binds, |row| row.int32(0))?.flatten())?;
    search::put_incident(session, id, &row.title, row.text.as_deref())?;
    Ok(id)
}

/// Replaces what a write sets.
pub fn update(session: &mut dyn Session, row: &IncidentRow) -> Result<(), StoreError> {
    let mut binds = vec![row.id.into()];
    binds.extend(row.written());
    session.execute_deferred(&IncidentRow::statements().update, &binds)?;
    search::put_incident(session, row.id, &row.title, row.text.as_deref())
}

/// Sets the external id.
pub fn set_external_id(
    session: &mut dyn Session,
    id: i32,
    external_id: Option<&str>,
    stamp: i64,
) -> Result<(), StoreError> {
    let binds = [id.into(), external_id.into(), stamp.into()];
    session.execute_deferred(
        "UPDATE incidents SET external_id = ?2, last_modified = ?3, last_modified_by_user_id = NULL WHERE id = ?1",
        &binds,
    )
}

/// Stamps the incident because something that belongs to it changed.
pub fn touch(session: &mut dyn Session, id: i32, stamp: i64) -> Result<(), StoreError> {
    session.execute_deferred(
        "UPDATE incidents SET last_modified = ?2, last_modified_by_user_id = NULL WHERE id = ?1",
        &[id.into(), stamp.into()],
    )
}
