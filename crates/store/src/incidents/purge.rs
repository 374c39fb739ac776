//! Purge of the trash: removes incidents after their retention, with everything that belongs to them.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::audit::{self, Change, Origin};
use crate::purge_guard::{Guarded, PurgeGuard};
use crate::{Session, Store, StoreError};

/// How long a deleted incident stays in the trash, in days.
pub const RETENTION_DAYS: i64 = 30;
/// The same in ticks of 100 ns: an incident is in the trash while `deleted_date > now - RETENTION_TICKS`.
pub const RETENTION_TICKS: i64 = RETENTION_DAYS * 86_400 * 10_000_000;

/// Incidents that one write removes, so that other writes do not wait for long.
const PER_TURN: i64 = 200;

/// Removes every incident whose retention is over at `now` (ticks); returns how many.
///
/// # Errors
/// The store fails. What was removed before stays removed.
pub async fn purge(store: &Store, now: i64) -> Result<u64, StoreError> {
    purge_due(store, now, now).await
}

/// The guard of [`purge_confirmed`].
pub fn trash_guard() -> PurgeGuard {
    let guarded = Guarded {
        checked_at: "trash_check",
        ran: "trash_check_ran",
        is_due: "SELECT 1 FROM incidents WHERE deleted_date <= ?1 LIMIT 1",
    };
    PurgeGuard::new(guarded, RETENTION_TICKS)
}

/// Removes every incident whose retention is over at `now` (ticks), as the guard allows; returns how many.
/// `running` is how long this process has run.
///
/// # Errors
/// The store fails. What was removed before stays removed.
pub async fn purge_confirmed(
    store: &Store,
    guard: &mut PurgeGuard,
    now: i64,
    running: Duration,
) -> Result<u64, StoreError> {
    let Some(due) = guard.due(store, now, running).await? else {
        return Ok(0);
    };
    let purged = purge_due(store, due, now).await?;
    guard.forget(store).await?;
    Ok(purged)
}

/// Removes every incident whose retention is over at `due`, which may be earlier than `now`.
async fn purge_due(store: &Store, due: i64, now: i64) -> Result<u64, StoreError> {
    let some = move |session: &mut dyn Session| {
        let purged = purge_some(session, due, PER_TURN)?;
        if purged > 0 {
            let change = Change::many("incidents", &BTreeMap::from([("count", purged)]));
            audit::append(session, now, &Origin::default(), "purgeIncidents", &change)?;
        }
        Ok(purged)
    };
    store.write_in_turns(PER_TURN.unsigned_abs(), some).await
}

/// Removes at most `limit` of them; returns how many.
///
/// # Errors
/// The engine fails.
pub fn purge_some(session: &mut dyn Session, now: i64, limit: i64) -> Result<u64, StoreError> {
    let binds = [now.saturating_sub(RETENTION_TICKS).into(), limit.into()];
    // The same incidents in all five: the oldest first, then by id.
    session.execute_deferred(
        "DELETE FROM comments_search WHERE rowid IN (
            SELECT c.id FROM incident_comments AS c WHERE c.incident_id IN (
                SELECT i.id FROM incidents AS i WHERE i.deleted_date <= ?1 ORDER BY i.deleted_date, i.id LIMIT ?2))",
        &binds,
    )?;
    session.execute_deferred(
        "DELETE FROM task_comments_search WHERE rowid IN (
            SELECT c.id FROM task_comments AS c JOIN tasks AS t ON t.id = c.task_id WHERE t.incident_id IN (
                SELECT i.id FROM incidents AS i WHERE i.deleted_date <= ?1 ORDER BY i.deleted_date, i.id LIMIT ?2))",
        &binds,
    )?;
    session.execute_deferred(
        "DELETE FROM tasks_search WHERE rowid IN (
            SELECT t.id FROM tasks AS t WHERE t.incident_id IN (
                SELECT i.id FROM incidents AS i WHERE i.deleted_date <= ?1 ORDER BY i.deleted_date, i.id LIMIT ?2))",
        &binds,
    )?;
    session.execute_deferred(
        "DELETE FROM incidents_search WHERE rowid IN (
            SELECT i.id FROM incidents AS i WHERE i.deleted_date <= ?1 ORDER BY i.deleted_date, i.id LIMIT ?2)",
        &binds,
    )?;
    // Foreign keys remove parts, comments and tasks with it.
    session.execute(
        "DELETE FROM incidents WHERE id IN (
            SELECT i.id FROM incidents AS i WHERE i.deleted_date <= ?1 ORDER BY i.deleted_date, i.id LIMIT ?2)",
        &binds,
    )
}
