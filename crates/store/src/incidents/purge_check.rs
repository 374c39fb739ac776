//! When the trash may be emptied: what is due must have been due at an earlier check too, with a day of
//! running in between. So one start with a clock that is a month ahead deletes nothing.
//!
//! The earlier check is in the database: the time that its clock showed, and how long the service has run
//! since. A plant that is switched off every night therefore still empties its trash. Several processes note
//! the longest of their times: together they never note more than has passed.

use std::time::Duration;

use super::purge::{RETENTION_TICKS, purge_due};
use crate::{Session, Store, StoreError};

/// How long the service must have run between the two checks, in seconds.
const CONFIRMED_AFTER: i64 = 86_400;

/// The names of the two numbers in `counters`.
const CHECKED_AT: &str = "trash_check";
const RAN: &str = "trash_check_ran";

/// The earlier check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PurgeCheck {
    /// The time that the clock showed, in ticks.
    at: i64,
    /// How long the service has run since, in seconds.
    ran: i64,
}

/// What one process knows of the earlier check.
#[derive(Debug, Clone, Default)]
pub struct PurgeProgress {
    /// The check as it was last seen or noted, and how long the process had run then.
    seen: Option<(PurgeCheck, Duration)>,
}

/// Removes every incident whose retention was over at the earlier check and is over at `now` (ticks), once
/// the service has run for a day since; returns how many. `running` is how long this process has run.
///
/// # Errors
/// The store fails. What was removed before stays removed.
pub async fn purge_confirmed(
    store: &Store,
    progress: &mut PurgeProgress,
    now: i64,
    running: Duration,
) -> Result<u64, StoreError> {
    let before = progress.clone();
    let check = store
        .write(move |session| before.check(session, now, running))
        .await?;
    progress.seen = check.map(|check| (check, running));
    match check {
        Some(check) if check.ran >= CONFIRMED_AFTER => {
            let purged = purge_due(store, now.min(check.at), now).await?;
            store.write(forget).await?;
            progress.seen = None;
            Ok(purged)
        }
        _ => Ok(0),
    }
}

impl PurgeProgress {
    /// Notes how long the service has run since the earlier check; or that this is the first one at which
    /// something is due. `None` when nothing is: an idle service writes nothing.
    fn check(
        &self,
        session: &mut dyn Session,
        now: i64,
        running: Duration,
    ) -> Result<Option<PurgeCheck>, StoreError> {
        let stored = read(session)?;
        let is_due = "SELECT 1 FROM incidents WHERE deleted_date <= ?1 LIMIT 1";
        let binds = [now.saturating_sub(RETENTION_TICKS).into()];
        if session.first(is_due, &binds, |_| Ok(()))?.is_none() {
            // An earlier check at which something was due was wrong, or another process has purged.
            if stored.is_some() {
                forget(session)?;
            }
            return Ok(None);
        }
        let check = match stored {
            None => PurgeCheck { at: now, ran: 0 },
            Some(stored) => self.advanced(stored, running),
        };
        if stored != Some(check) {
            put(session, CHECKED_AT, check.at)?;
            put(session, RAN, check.ran)?;
        }
        Ok(Some(check))
    }

    /// The stored check, with the time that this process has run since it last saw it.
    fn advanced(&self, stored: PurgeCheck, running: Duration) -> PurgeCheck {
        let Some((seen, at)) = self.seen.filter(|(seen, _)| seen.at == stored.at) else {
            return stored;
        };
        let since = running.saturating_sub(at).as_secs();
        let ran = seen
            .ran
            .saturating_add(i64::try_from(since).unwrap_or(i64::MAX));
        PurgeCheck {
            ran: stored.ran.max(ran),
            ..stored
        }
    }
}

fn read(session: &mut dyn Session) -> Result<Option<PurgeCheck>, StoreError> {
    let mut number = |name: &str| {
        let sql = "SELECT last FROM counters WHERE name = ?1";
        Ok(session
            .first(sql, &[name.into()], |row| row.int(0))?
            .flatten())
    };
    let (at, ran) = (number(CHECKED_AT)?, number(RAN)?);
    Ok::<_, StoreError>(at.zip(ran).map(|(at, ran)| PurgeCheck { at, ran }))
}

fn put(session: &mut dyn Session, name: &str, number: i64) -> Result<(), StoreError> {
    let sql = "INSERT INTO counters (name, last) VALUES (?1, ?2)
        ON CONFLICT (name) DO UPDATE SET last = excluded.last";
    session.execute_deferred(sql, &[name.into(), number.into()])
}

fn forget(session: &mut dyn Session) -> Result<(), StoreError> {
    let sql = "DELETE FROM counters WHERE name IN (?1, ?2)";
    session.execute_deferred(sql, &[CHECKED_AT.into(), RAN.into()])
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_process_counts_from_when_it_first_saw_the_check_and_never_what_another_has_counted() {
        let check = |ran| PurgeCheck { at: 7, ran };
        let seen = |ran, at| PurgeProgress {
            seen: Some((check(ran), at)),
        };
        // After a start, and after another process has begun anew.
        let started = PurgeProgress::default();
        assert_eq!(started.advanced(check(50), HOUR), check(50));
        let other = PurgeCheck { at: 8, ran: 3 };
        assert_eq!(seen(50, HOUR).advanced(other, HOUR * 9), other);
        // An hour of its own; of which another has noted some, or more.
        let hour_on = |stored| seen(50, HOUR).advanced(check(stored), HOUR * 2);
        assert_eq!(hour_on(50), check(3650));
        assert_eq!(hour_on(1000), check(3650));
        assert_eq!(hour_on(4000), check(4000));
    }
}
