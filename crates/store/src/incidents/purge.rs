//! The end of an incident: what has been in the trash for its time is removed, with everything that hangs on
//! it.

use crate::{Session, Store, StoreError};

/// How long a deleted incident stays in the trash, in days.
pub const RETENTION_DAYS: i64 = 30;
/// The same in ticks of 100 ns: an incident is in the trash while `deleted_date > now - RETENTION_TICKS`.
pub const RETENTION_TICKS: i64 = RETENTION_DAYS * 86_400 * 10_000_000;

/// Incidents removed in one turn of the writer, so that others are not held up.
const PER_TURN: i64 = 200;

/// Removes every incident whose time in the trash is over at `now` (ticks); how many.
///
/// # Errors
/// What the store says. What was removed before stays removed.
pub async fn purge(store: &Store, now: i64) -> Result<u64, StoreError> {
    let some = move |session: &mut dyn Session| purge_some(session, now, PER_TURN);
    store.write_in_turns(PER_TURN.unsigned_abs(), some).await
}

/// Removes at most `limit` of them; how many.
///
/// # Errors
/// What the engine says.
pub fn purge_some(session: &mut dyn Session, now: i64, limit: i64) -> Result<u64, StoreError> {
    let binds = [now.saturating_sub(RETENTION_TICKS).into(), limit.into()];
    // The same incidents in all three: the oldest first, then by id.
    session.execute_deferred(
        "DELETE FROM comments_search WHERE rowid IN (
            SELECT c.id FROM incident_comments AS c WHERE c.incident_id IN (
                SELECT i.id FROM incidents AS i WHERE i.deleted_date <= ?1 ORDER BY i.deleted_date, i.id LIMIT ?2))",
        &binds,
    )?;
    session.execute_deferred(
        "DELETE FROM incidents_search WHERE rowid IN (
            SELECT i.id FROM incidents AS i WHERE i.deleted_date <= ?1 ORDER BY i.deleted_date, i.id LIMIT ?2)",
        &binds,
    )?;
    // Parts and comments go with it by their foreign keys.
    session.execute(
        "DELETE FROM incidents WHERE id IN (
            SELECT i.id FROM incidents AS i WHERE i.deleted_date <= ?1 ORDER BY i.deleted_date, i.id LIMIT ?2)",
        &binds,
    )
}
