//! The time budget of the running statement, and the limit of short work.
//!
//! SQLite calls a progress handler after a number of steps of its virtual machine, whatever a step costs. A
//! function that processes long texts reports its own cost.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::caller::Caller;

/// Steps of SQLite's virtual machine between two checks of the clock: a few microseconds, or a few hundred if
/// a step searches a long text.
pub(super) const STEPS_PER_CHECK: i32 = 1_000;
/// Work of functions between two checks, in bytes of text processed once.
const WORK_PER_CHECK: u64 = 64 << 10;
/// Most checks of the clock during short work. The step counter of a statement continues from its last run,
/// so the first check may come at once. Steps instead of time: on a busy machine short work must not be
/// restarted because it waited for the CPU.
const SHORT_WORK_CHECKS: u32 = 10;

/// The budget of a connection. Used by one thread at a time.
pub(super) struct Budget {
    epoch: Instant,
    allowed: Duration,
    /// The deadline in nanoseconds after `epoch`; 0 when no statement is measured.
    until: AtomicU64,
    /// Whether statements have no budget now.
    is_lifted: AtomicBool,
    /// Work of functions since their last check of the clock.
    work: AtomicU64,
    /// Whether the limit of short work applies, and the number of checks so far.
    is_short: AtomicBool,
    checks: AtomicU32,
    /// Whose statement it is, if that may go.
    caller: Mutex<Option<Caller>>,
}

impl Budget {
    pub(super) fn new(allowed: Duration) -> Self {
        Self {
            epoch: Instant::now(),
            allowed,
            until: AtomicU64::new(0),
            is_lifted: AtomicBool::new(false),
            work: AtomicU64::new(0),
            is_short: AtomicBool::new(false),
            checks: AtomicU32::new(0),
            caller: Mutex::new(None),
        }
    }

    /// Ends statements once this caller has gone.
    pub(super) fn set_caller(&self, caller: Option<Caller>) {
        *self.caller() = caller;
    }

    fn caller(&self) -> MutexGuard<'_, Option<Caller>> {
        // It is only ever replaced as a whole.
        self.caller.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Limits work to [`SHORT_WORK_CHECKS`] checks of the clock.
    pub(super) fn limit_to_short(&self) {
        self.is_short.store(true, Ordering::Relaxed);
        self.checks.store(0, Ordering::Relaxed);
    }

    /// Lifts the limit; returns whether work was cancelled as too long.
    pub(super) fn end_limit(&self) -> bool {
        self.is_short.store(false, Ordering::Relaxed);
        self.checks.load(Ordering::Relaxed) > SHORT_WORK_CHECKS
    }

    /// Starts the budget of a statement.
    pub(super) fn start(&self) {
        if self.is_lifted.load(Ordering::Relaxed) {
            return;
        }
        let until = (self.epoch.elapsed() + self.allowed).as_nanos();
        self.until
            .store(u64::try_from(until).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Stops measuring until the next statement begins.
    pub(super) fn stop(&self) {
        self.until.store(0, Ordering::Relaxed);
    }

    /// Gives statements no budget, or their budget again.
    pub(super) fn lift(&self, is_lifted: bool) {
        self.stop();
        self.is_lifted.store(is_lifted, Ordering::Relaxed);
    }

    /// Adds the work of a function; returns whether the statement must end instead.
    pub(super) fn is_spent_by(&self, work: u64) -> bool {
        let done = self.work.load(Ordering::Relaxed).saturating_add(work);
        if done < WORK_PER_CHECK {
            self.work.store(done, Ordering::Relaxed);
            return false;
        }
        self.work.store(0, Ordering::Relaxed);
        self.is_spent()
    }

    /// Checks the clock and the caller; returns whether the statement must end.
    pub(super) fn is_spent(&self) -> bool {
        if self.is_short.load(Ordering::Relaxed)
            && self.checks.fetch_add(1, Ordering::Relaxed) >= SHORT_WORK_CHECKS
        {
            return true;
        }
        let until = self.until.load(Ordering::Relaxed);
        until != 0
            && (self.epoch.elapsed().as_nanos() > u128::from(until)
                || self.caller().as_ref().is_some_and(Caller::has_gone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_takes_too_long_is_ended_at_the_next_look() {
        let budget = Budget::new(Duration::ZERO);
        assert!(!budget.is_spent(), "nothing has begun");
        budget.start();
        assert!(!budget.is_spent_by(WORK_PER_CHECK - 1));
        assert!(budget.is_spent_by(1));
        assert!(!budget.is_spent_by(1), "the next look is as far away again");
        budget.stop();
        assert!(!budget.is_spent_by(WORK_PER_CHECK));
    }

    #[test]
    fn work_ends_when_its_caller_has_gone() {
        let budget = Budget::new(Duration::from_secs(3600));
        let (waits, caller) = crate::caller::caller();
        budget.set_caller(Some(caller));
        budget.start();
        assert!(!budget.is_spent());
        drop(waits);
        assert!(budget.is_spent());
        budget.set_caller(None);
        assert!(!budget.is_spent());
    }

    #[test]
    fn brief_work_ends_after_its_looks_whatever_the_clock_says() {
        let budget = Budget::new(Duration::from_secs(3600));
        budget.limit_to_short();
        budget.start();
        let checks = (0..100).take_while(|_| !budget.is_spent_by(WORK_PER_CHECK));
        assert_eq!(checks.count(), SHORT_WORK_CHECKS as usize);
        assert!(budget.end_limit());
        assert!(!budget.is_spent_by(WORK_PER_CHECK));
    }
}
