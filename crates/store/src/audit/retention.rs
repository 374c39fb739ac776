//! Retention: removes the oldest entries, and says so in the log itself.
//!
//! The entry that records a removal has the number and the hash of the last entry that went. So the rest of
//! the chain can still be verified, and a removal by anything else is seen.

use std::ops::ControlFlow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Change, Origin, append};
use crate::engine::present;
use crate::purge_guard::{Guarded, PurgeGuard};
use crate::{Session, Store, StoreError};

/// The operation of the entries about removed ones.
pub const EXPIRE: &str = "expireAudit";

/// Entries that one write removes, so that other writes do not wait for long.
const PER_TURN: i64 = 5_000;

/// What was removed: everything up to an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Removed {
    /// Number of the last one.
    pub(super) through: i64,
    /// Its hash.
    pub(super) hash: String,
    /// How many went.
    pub(super) count: u64,
}

#[derive(Serialize)]
struct Statement {
    removed: Removed,
}

/// The guard of [`expire_confirmed`], for entries that are retained for so long (ticks).
pub fn retention_guard(retention: i64) -> PurgeGuard {
    let guarded = Guarded {
        checked_at: "audit_check",
        ran: "audit_check_ran",
        is_due: "SELECT 1 FROM audit_entries
            WHERE number = (SELECT min(number) FROM audit_entries) AND at < ?1",
    };
    PurgeGuard::new(guarded, retention)
}

/// Removes every entry whose retention (ticks) is over at `now`, as the guard allows; returns how many.
/// `running` is how long this process has run.
///
/// # Errors
/// The store fails. What was removed before stays removed.
pub async fn expire_confirmed(
    store: &Store,
    guard: &mut PurgeGuard,
    now: i64,
    running: Duration,
) -> Result<u64, StoreError> {
    let Some(due) = guard.due(store, now, running).await? else {
        return Ok(0);
    };
    let before = due.saturating_sub(guard.retention());
    let expired = expire(store, before, now).await?;
    guard.forget(store).await?;
    Ok(expired)
}

/// Removes every entry that was appended before `before` (ticks); returns how many. An entry stays as long as
/// one before it does.
///
/// # Errors
/// The store fails. What was removed before stays removed.
pub async fn expire(store: &Store, before: i64, now: i64) -> Result<u64, StoreError> {
    let some = move |session: &mut dyn Session| expire_some(session, before, now, PER_TURN);
    store.write_in_turns(PER_TURN.unsigned_abs(), some).await
}

/// Removes at most `limit` of them; returns how many.
///
/// # Errors
/// The engine fails.
pub fn expire_some(
    session: &mut dyn Session,
    before: i64,
    now: i64,
    limit: i64,
) -> Result<u64, StoreError> {
    let sql = "SELECT number, at, hash FROM audit_entries ORDER BY number LIMIT ?1";
    let mut last = None;
    let mut count = 0;
    session.query(sql, &[limit.into()], &mut |row| {
        if present(row.int(1)?)? >= before {
            return Ok(ControlFlow::Break(()));
        }
        last = Some((present(row.int(0)?)?, present(row.string(2)?)?));
        count += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    let Some((through, hash)) = last else {
        return Ok(0);
    };
    // Appended first: the number and the hash of an entry follow from the last one.
    let removed = Removed {
        through,
        hash,
        count,
    };
    let change = Change::summary(&Statement { removed });
    append(session, now, &Origin::default(), EXPIRE, &change)?;
    session.execute(
        "DELETE FROM audit_entries WHERE number <= ?1",
        &[through.into()],
    )
}
