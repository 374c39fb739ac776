//! When rows may be deleted for good: what is due must have been due at an earlier check too, with a day of
//! running in between. So one start with a clock that is far ahead deletes nothing.
//!
//! The earlier check is in the database: the time that its clock showed, and how long the service has run
//! since. A plant that is switched off every night therefore still deletes what is due. Several processes
//! note the longest of their times: together they never note more than has passed. This module does not know
//! what is deleted.

use std::time::Duration;

use crate::{Session, Store, StoreError};

/// How long the service must have run between the two checks, in seconds.
const CONFIRMED_AFTER: i64 = 86_400;

/// What a guard is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guarded {
    /// The names of the two numbers in `counters`: the time of the earlier check and the seconds since.
    pub(crate) checked_at: &'static str,
    pub(crate) ran: &'static str,
    /// A query with a row if something has been due since `?1`, in ticks.
    pub(crate) is_due: &'static str,
}

/// The guard of one kind of purge in one process.
#[derive(Debug, Clone)]
pub struct PurgeGuard {
    guarded: Guarded,
    /// How long rows are retained, in ticks.
    retention: i64,
    /// The check as it was last seen or noted, and how long the process had run then.
    seen: Option<(PurgeCheck, Duration)>,
}

/// The earlier check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PurgeCheck {
    /// The time that the clock showed, in ticks.
    at: i64,
    /// How long the service has run since, in seconds.
    ran: i64,
}

impl PurgeGuard {
    pub(crate) fn new(guarded: Guarded, retention: i64) -> Self {
        Self {
            guarded,
            retention,
            seen: None,
        }
    }

    /// How long rows are retained, in ticks.
    pub(crate) fn retention(&self) -> i64 {
        self.retention
    }

    /// The time (ticks) until which rows are due at `now` and were due at the earlier check, once the service
    /// has run for a day since. `running` is how long this process has run. Delete what was due then, and
    /// call [`PurgeGuard::forget`].
    pub(crate) async fn due(
        &mut self,
        store: &Store,
        now: i64,
        running: Duration,
    ) -> Result<Option<i64>, StoreError> {
        let before = self.clone();
        let check = store
            .write(move |session| before.check(session, now, running))
            .await?;
        self.seen = check.map(|check| (check, running));
        Ok(check
            .filter(|check| check.ran >= CONFIRMED_AFTER)
            .map(|check| now.min(check.at)))
    }

    /// Forgets the earlier check: what was due then is gone.
    pub(crate) async fn forget(&mut self, store: &Store) -> Result<(), StoreError> {
        let guarded = self.guarded;
        store.write(move |session| guarded.forget(session)).await?;
        self.seen = None;
        Ok(())
    }

    /// Notes how long the service has run since the earlier check; or that this is the first one at which
    /// something is due. `None` when nothing is: an idle service writes nothing.
    fn check(
        &self,
        session: &mut dyn Session,
        now: i64,
        running: Duration,
    ) -> Result<Option<PurgeCheck>, StoreError> {
        let stored = self.guarded.read(session)?;
        let binds = [now.saturating_sub(self.retention).into()];
        let is_due = session.first(self.guarded.is_due, &binds, |_| Ok(()))?;
        if is_due.is_none() {
            // An earlier check at which something was due was wrong, or another process has purged.
            if stored.is_some() {
                self.guarded.forget(session)?;
            }
            return Ok(None);
        }
        let check = match stored {
            None => PurgeCheck { at: now, ran: 0 },
            Some(stored) => self.advanced(stored, now, running),
        };
        if stored != Some(check) {
            self.guarded.put(session, check)?;
        }
        Ok(Some(check))
    }

    /// The stored check, with the time that this process has run since it last saw it. Its time is the
    /// earliest that any check since saw: what a clock that was ahead called due does not count.
    fn advanced(&self, stored: PurgeCheck, now: i64, running: Duration) -> PurgeCheck {
        PurgeCheck {
            at: stored.at.min(now),
            ran: self.ran(stored, running),
        }
    }

    /// How long the service has run since the stored check, in seconds.
    fn ran(&self, stored: PurgeCheck, running: Duration) -> i64 {
        let Some((seen, at)) = self.seen.filter(|(seen, _)| seen.at == stored.at) else {
            return stored.ran;
        };
        let since = running.saturating_sub(at).as_secs();
        let ran = seen
            .ran
            .saturating_add(i64::try_from(since).unwrap_or(i64::MAX));
        stored.ran.max(ran)
    }
}

impl Guarded {
    fn read(&self, session: &mut dyn Session) -> Result<Option<PurgeCheck>, StoreError> {
        let mut number = |name: &str| {
            let sql = "SELECT last FROM counters WHERE name = ?1";
            Ok(session
                .first(sql, &[name.into()], |row| row.int(0))?
                .flatten())
        };
        let (at, ran) = (number(self.checked_at)?, number(self.ran)?);
        Ok::<_, StoreError>(at.zip(ran).map(|(at, ran)| PurgeCheck { at, ran }))
    }

    fn put(&self, session: &mut dyn Session, check: PurgeCheck) -> Result<(), StoreError> {
        let sql = "INSERT INTO counters (name, last) VALUES (?1, ?2)
            ON CONFLICT (name) DO UPDATE SET last = excluded.last";
        session.execute_deferred(sql, &[self.checked_at.into(), check.at.into()])?;
        session.execute_deferred(sql, &[self.ran.into(), check.ran.into()])
    }

    fn forget(&self, session: &mut dyn Session) -> Result<(), StoreError> {
        let sql = "DELETE FROM counters WHERE name IN (?1, ?2)";
        session.execute_deferred(sql, &[self.checked_at.into(), self.ran.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_process_counts_from_when_it_first_saw_the_check_and_never_what_another_has_counted() {
        let check = |ran| PurgeCheck { at: 7, ran };
        let started = PurgeGuard::new(
            Guarded {
                checked_at: "check",
                ran: "ran",
                is_due: "",
            },
            0,
        );
        let seen = |ran, at| PurgeGuard {
            seen: Some((check(ran), at)),
            ..started.clone()
        };
        // After a start, and after another process has begun anew.
        assert_eq!(started.advanced(check(50), 9, HOUR), check(50));
        let other = PurgeCheck { at: 8, ran: 3 };
        assert_eq!(seen(50, HOUR).advanced(other, 9, HOUR * 9), other);
        // An hour of its own; of which another has noted some, or more.
        let hour_on = |stored| seen(50, HOUR).advanced(check(stored), 9, HOUR * 2);
        assert_eq!(hour_on(50), check(3650));
        assert_eq!(hour_on(1000), check(3650));
        assert_eq!(hour_on(4000), check(4000));
        // The clock of the first check was ahead.
        let earlier = PurgeCheck { at: 6, ran: 3650 };
        assert_eq!(seen(50, HOUR).advanced(check(50), 6, HOUR * 2), earlier);
    }
}
