//! Background tasks: follow changes by other processes, check that the database can be written, watch the
//! clock, empty the trash, purge expired idempotency records and audit entries, store the counts of refused
//! tokens, and refresh the rollups of values.
//!
//! A run that fails or panics is logged; the next run tries again. Nothing that a client can see may depend
//! on how often these tasks run, except the revocation of clients: a trashed incident is not listed after its
//! 30 days and an expired key is unknown, purged or not.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::app::App;
use crate::auth::tokens::LONGEST_POLL;
use crate::config::TICKS_PER_SECOND;
use crate::telemetry::panic_text;
use obeya_store::PurgeGuard;
use obeya_store::values::rollups;
use obeya_store::{audit, idempotency_records, incidents};

/// Starts the tasks; they end when the set is dropped.
pub(crate) fn start(app: &Arc<App>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let limits = &app.config.limits;
    let auth = Arc::clone(app);
    let poll = limits.auth_poll.min(LONGEST_POLL);
    // They were read when the application was opened.
    tasks.spawn(repeat_later(poll, move || follow_auth(Arc::clone(&auth))));
    let database = Arc::clone(app);
    let state = Arc::new(DatabaseState::default());
    tasks.spawn(repeat(limits.file_check, move || {
        check_database(Arc::clone(&database), Arc::clone(&state))
    }));
    let watched = Arc::clone(app);
    let mut clock = ClockWatch::default();
    tasks.spawn(repeat(limits.file_check, move || {
        watch_clock(&watched, &mut clock);
        std::future::ready(())
    }));
    let trash = Arc::clone(app);
    let guard = Arc::new(Mutex::new(incidents::trash_guard()));
    tasks.spawn(repeat(limits.purge, move || {
        empty_trash(Arc::clone(&trash), Arc::clone(&guard))
    }));
    let keys = Arc::clone(app);
    tasks.spawn(repeat(limits.purge, move || purge_keys(Arc::clone(&keys))));
    let rollups = Arc::clone(app);
    let pause = Arc::new(AtomicU32::new(0));
    // At the start, all clients return at once, and their writes would wait for it.
    tasks.spawn(repeat_later(limits.rollups, move || {
        refresh_rollups(Arc::clone(&rollups), Arc::clone(&pause))
    }));
    let refused = Arc::clone(app);
    tasks.spawn(repeat(limits.auth_poll, move || {
        store_refused(Arc::clone(&refused))
    }));
    if let Some(retention) = app.config.audit_retention {
        let audit = Arc::clone(app);
        let ticks = i64::try_from(retention.as_nanos() / 100).unwrap_or(i64::MAX);
        let guard = Arc::new(Mutex::new(audit::retention_guard(ticks)));
        tasks.spawn(repeat(limits.purge, move || {
            expire_audit(Arc::clone(&audit), Arc::clone(&guard))
        }));
    }
    tasks
}

/// Reads the clients, their settings and the keys, which other processes over the same database change.
async fn follow_auth(app: Arc<App>) {
    if let Err(error) = app.tokens.poll(&app.store).await {
        tracing::warn!(%error, "cannot read clients, their settings and signing keys from the store");
    }
}

/// What the checks of the database found last.
#[derive(Default)]
struct DatabaseState {
    was_probed: AtomicBool,
    cannot_write: AtomicBool,
}

/// Detects database files that were removed or replaced; and, at the start and after a write that found that
/// writes do not work, whether they do. Writes and `/readyz` detect missing files too; this logs it once,
/// even if there are no requests.
async fn check_database(app: Arc<App>, state: Arc<DatabaseState>) {
    let was_probed = state.was_probed.swap(true, Ordering::Relaxed);
    let mut checked = app.store.check_files();
    if checked.is_ok() && (!was_probed || app.store.write_fault().is_some()) {
        checked = match app.store.probe_write().await {
            Err(error) if app.store.write_fault().is_some() => Err(error),
            // Another process has the lock, or there is no connection: the next write will tell.
            _ => Ok(()),
        };
    }
    let could_not = state.cannot_write.swap(checked.is_err(), Ordering::Relaxed);
    match checked {
        Err(error) if !could_not => tracing::error!(%error, "the database cannot be written"),
        Ok(()) if could_not => tracing::info!("the database can be written again"),
        _ => {}
    }
}

/// How far the time of day may run from the monotonic clock between two looks. A clock that is corrected in
/// small steps stays below it; a machine that slept does not.
const CLOCK_JUMP: i64 = 30 * TICKS_PER_SECOND;

/// The two clocks when they were last looked at.
#[derive(Default)]
struct ClockWatch {
    /// The time of day in ticks, and the monotonic clock.
    last: Option<(i64, Duration)>,
}

impl ClockWatch {
    /// By how many ticks the time of day has jumped since the last look, if it has.
    fn jump(&mut self, now: i64, monotonic: Duration) -> Option<i64> {
        let (then, before) = self.last.replace((now, monotonic))?;
        let passed = monotonic.saturating_sub(before).as_nanos() / 100;
        let jump = (now - then).saturating_sub(i64::try_from(passed).unwrap_or(i64::MAX));
        (jump.abs() > CLOCK_JUMP).then_some(jump)
    }
}

/// Warns of a time of day that jumps: tokens, the trash and idempotency keys depend on it.
fn watch_clock(app: &App, clock: &mut ClockWatch) {
    if let Some(jump) = clock.jump(app.clock.ticks(), app.clock.monotonic()) {
        let seconds = jump / TICKS_PER_SECOND;
        app.metrics.clock_jumps.inc();
        app.metrics.clock_jump_seconds.set(seconds);
        tracing::warn!(seconds, "the time of day jumped, or the machine slept");
    }
}

/// Deletes incidents that have been in the trash for 30 days, also by the clock of a day of running before.
async fn empty_trash(app: Arc<App>, guard: Arc<Mutex<PurgeGuard>>) {
    let mut guard = guard.lock().await;
    let (now, running) = (app.clock.ticks(), app.clock.monotonic());
    match incidents::purge_confirmed(&app.store, &mut guard, now, running).await {
        Ok(0) => {}
        Ok(purged) => tracing::info!(purged, "emptied the trash"),
        Err(error) => tracing::warn!(%error, "cannot empty the trash"),
    }
}

/// Deletes idempotency records older than a day. A clock that is ahead deletes them early: they would not be
/// found by that clock either, and a day later they would be gone anyway.
async fn purge_keys(app: Arc<App>) {
    match idempotency_records::purge(&app.store, app.clock.ticks()).await {
        Ok(0) => {}
        Ok(purged) => tracing::info!(purged, "purged idempotency records"),
        Err(error) => tracing::warn!(%error, "cannot purge idempotency records"),
    }
}

/// Runs that are left out after one that failed, as each does in a process that may not write.
const RUNS_LEFT_OUT: u32 = 60;

/// Refreshes the rollups of values. Without that, answers come from the values.
async fn refresh_rollups(app: Arc<App>, pause: Arc<AtomicU32>) {
    let left = pause.load(Ordering::Relaxed);
    if left > 0 || app.store.write_fault().is_some() {
        pause.store(left.saturating_sub(1), Ordering::Relaxed);
        return;
    }
    match rollups::refresh(&app.store, app.clock.ticks()).await {
        Ok(0) => {}
        Ok(writes) => tracing::debug!(writes, "refreshed the rollups of values"),
        Err(error) => {
            pause.store(RUNS_LEFT_OUT, Ordering::Relaxed);
            tracing::warn!(%error, "cannot refresh the rollups of values");
        }
    }
}

/// Stores the counts of refused tokens.
pub(crate) async fn store_refused(app: Arc<App>) {
    if let Err(error) = app.refused.store(&app.store, &app.clock).await {
        tracing::warn!(%error, "cannot store the counts of refused tokens");
    }
}

/// Deletes the entries of the audit log that are older than its retention, also by the clock of a day of
/// running before.
async fn expire_audit(app: Arc<App>, guard: Arc<Mutex<PurgeGuard>>) {
    let mut guard = guard.lock().await;
    let (now, running) = (app.clock.ticks(), app.clock.monotonic());
    match audit::expire_confirmed(&app.store, &mut guard, now, running).await {
        Ok(0) => {}
        Ok(expired) => tracing::info!(expired, "shortened the audit log"),
        Err(error) => tracing::warn!(%error, "cannot shorten the audit log"),
    }
}

/// Runs `run` repeatedly, from now on.
async fn repeat<Run: Future<Output = ()>>(period: Duration, run: impl FnMut() -> Run) {
    repeat_from(Instant::now(), period, run).await;
}

/// The longest period: later, an instant could not be represented.
const LONGEST_PERIOD: Duration = Duration::from_secs(365 * 86_400);

/// The same, first when a period is over.
async fn repeat_later<Run: Future<Output = ()>>(period: Duration, run: impl FnMut() -> Run) {
    let period = period.min(LONGEST_PERIOD);
    repeat_from(Instant::now() + period, period, run).await;
}

/// Runs `run` repeatedly. A panic must not end the loop: revoked clients would stay accepted, and nothing
/// would show it.
async fn repeat_from<Run: Future<Output = ()>>(
    first: Instant,
    period: Duration,
    mut run: impl FnMut() -> Run,
) {
    let mut runs = every(first, period);
    loop {
        runs.tick().await;
        // No state of the failed run is used afterwards; locks that it may have poisoned are recovered.
        if let Err(panic) = AssertUnwindSafe(run()).catch_unwind().await {
            let panic = panic_text(panic.as_ref());
            tracing::error!(panic, "a run of the upkeep panicked");
        }
    }
}

fn every(first: Instant, period: Duration) -> Interval {
    // An interval of zero panics.
    let mut runs = interval_at(first, period.max(Duration::from_millis(1)));
    runs.set_missed_tick_behavior(MissedTickBehavior::Delay);
    runs
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;

    #[test]
    fn a_clock_jumps_if_it_runs_from_the_other() {
        let mut watch = ClockWatch::default();
        let mut jump = |now: i64, monotonic: u64| {
            let jump = watch.jump(now * TICKS_PER_SECOND, Duration::from_secs(monotonic));
            jump.map(|jump| jump / TICKS_PER_SECOND)
        };
        assert_eq!(jump(1_000, 5), None, "the first look");
        assert_eq!(jump(1_002, 7), None);
        assert_eq!(jump(91_002, 90_007), None, "looked at late");
        assert_eq!(jump(91_032, 90_007), None, "corrected");
        assert_eq!(jump(94_634, 90_009), Some(3_600));
        assert_eq!(jump(94_636, 90_011), None, "as it was since");
        assert_eq!(jump(4_636, 90_011), Some(-90_000));
    }

    #[tokio::test]
    async fn a_turn_that_panics_is_not_the_last() {
        let (begun, mut runs) = mpsc::unbounded_channel();
        let repeating = tokio::spawn(repeat(Duration::from_millis(1), move || {
            let begun = begun.clone();
            async move {
                begun.send(()).expect("the test listens");
                panic!("out of cheese");
            }
        }));
        for _ in 0..2 {
            runs.recv().await.expect("a run");
        }
        repeating.abort();
    }
}
