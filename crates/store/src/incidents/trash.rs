//! Moves incidents into the trash and restores them. Comments, parts, counts and search tokens of an incident
//! stay as they are, hidden while it is in the trash.

use super::RETENTION_TICKS;
use crate::engine::present;
use crate::{Session, StoreError};

const FIND: &str =
    "SELECT last_modified, deleted_date FROM incidents WHERE id = ?1 AND deleted_date > ?2";

/// What a restore must know of an incident in the trash, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deleted {
    /// Its stamp.
    pub last_modified: i64,
    /// When it was deleted.
    pub deleted_date: i64,
}

/// Puts the incident into the trash.
pub fn delete(session: &mut dyn Session, id: i32, now: i64, stamp: i64) -> Result<(), StoreError> {
    session.execute_deferred(
        "UPDATE incidents SET deleted_date = ?2, last_modified = ?3, last_modified_by_user_id = NULL WHERE id = ?1",
        &[id.into(), now.into(), stamp.into()],
    )
}

/// Prefetches what [`find_deleted`] reads.
pub fn prefetch_deleted(session: &mut dyn Session, id: i32, now: i64) -> Result<(), StoreError> {
    session.prefetch(FIND, &[id.into(), (now - RETENTION_TICKS).into()])
}

/// An incident that is in the trash; `None` also after its retention, purged or not.
pub fn find_deleted(
    session: &mut dyn Session,
    id: i32,
    now: i64,
) -> Result<Option<Deleted>, StoreError> {
    let binds = [id.into(), (now - RETENTION_TICKS).into()];
    session.first(FIND, &binds, |row| {
        Ok(Deleted {
            last_modified: present(row.int(0)?)?,
            deleted_date: present(row.int(1)?)?,
        })
    })
}

/// Takes the incident out of the trash.
pub fn restore(session: &mut dyn Session, id: i32, stamp: i64) -> Result<(), StoreError> {
    session.execute_deferred(
        "UPDATE incidents SET deleted_date = NULL, last_modified = ?2, last_modified_by_user_id = NULL WHERE id = ?1",
        &[id.into(), stamp.into()],
    )
}
