//! Background tasks: follow changes by other processes, check that the database files are in place, empty the
//! trash, purge expired idempotency records and audit entries, and store the counts of refused tokens.
//!
//! A run that fails or panics is logged; the next run tries again. Nothing that a client can see may depend
//! on how often these tasks run, except the revocation of clients: a trashed incident is not listed after its
//! 30 days and an expired key is unknown, purged or not.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::task::JoinSet;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::app::App;
use crate::auth::tokens::LONGEST_POLL;
use crate::telemetry::panic_text;
use obeya_store::{audit, idempotency_records, incidents};

/// Starts the tasks; they end when the set is dropped.
pub(crate) fn start(app: &Arc<App>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let limits = &app.config.limits;
    let auth = Arc::clone(app);
    tasks.spawn(repeat(limits.auth_poll.min(LONGEST_POLL), move || {
        follow_auth(Arc::clone(&auth))
    }));
    let files = Arc::clone(app);
    let were_in_place = Arc::new(AtomicBool::new(true));
    tasks.spawn(repeat(limits.file_check, move || {
        check_files(Arc::clone(&files), Arc::clone(&were_in_place))
    }));
    let trash = Arc::clone(app);
    tasks.spawn(repeat(limits.purge, move || {
        empty_trash(Arc::clone(&trash))
    }));
    let keys = Arc::clone(app);
    tasks.spawn(repeat(limits.purge, move || purge_keys(Arc::clone(&keys))));
    let refused = Arc::clone(app);
    tasks.spawn(repeat(limits.auth_poll, move || {
        store_refused(Arc::clone(&refused))
    }));
    if let Some(retention) = app.config.audit_retention {
        let audit = Arc::clone(app);
        tasks.spawn(repeat(limits.purge, move || {
            expire_audit(Arc::clone(&audit), retention)
        }));
    }
    tasks
}

/// Reads the clients revoked and keys made by other processes over the same database.
async fn follow_auth(app: Arc<App>) {
    if let Err(error) = app.tokens.refresh(&app.store).await {
        tracing::warn!(%error, "cannot read the revoked clients from the store");
    }
}

/// Detects database files that were removed or replaced. Writes and `/readyz` detect it too; this logs it
/// once, even if there are no requests.
async fn check_files(app: Arc<App>, were_in_place: Arc<AtomicBool>) {
    let checked = app.store.check_files();
    let were_in_place = were_in_place.swap(checked.is_ok(), Ordering::Relaxed);
    match checked {
        Err(error) if were_in_place => tracing::error!(%error, "the database cannot be written"),
        Ok(()) if !were_in_place => tracing::info!("the database can be written again"),
        _ => {}
    }
}

/// Deletes incidents that have been in the trash for 30 days.
async fn empty_trash(app: Arc<App>) {
    match incidents::purge(&app.store, app.clock.ticks()).await {
        Ok(0) => {}
        Ok(purged) => tracing::info!(purged, "emptied the trash"),
        Err(error) => tracing::warn!(%error, "cannot empty the trash"),
    }
}

/// Deletes idempotency records older than a day.
async fn purge_keys(app: Arc<App>) {
    match idempotency_records::purge(&app.store, app.clock.ticks()).await {
        Ok(0) => {}
        Ok(purged) => tracing::info!(purged, "purged idempotency records"),
        Err(error) => tracing::warn!(%error, "cannot purge idempotency records"),
    }
}

/// Stores the counts of refused tokens.
pub(crate) async fn store_refused(app: Arc<App>) {
    if let Err(error) = app.refused.store(&app.store, &app.clock).await {
        tracing::warn!(%error, "cannot store the counts of refused tokens");
    }
}

/// Deletes the entries of the audit log that are older than its retention.
async fn expire_audit(app: Arc<App>, retention: Duration) {
    let now = app.clock.ticks();
    let retention = i64::try_from(retention.as_nanos() / 100).unwrap_or(i64::MAX);
    match audit::expire(&app.store, now.saturating_sub(retention), now).await {
        Ok(0) => {}
        Ok(expired) => tracing::info!(expired, "shortened the audit log"),
        Err(error) => tracing::warn!(%error, "cannot shorten the audit log"),
    }
}

/// Runs `run` repeatedly. A panic must not end the loop: revoked clients would stay accepted, and nothing
/// would show it.
async fn repeat<Run: Future<Output = ()>>(period: Duration, mut run: impl FnMut() -> Run) {
    let mut runs = every(period);
    loop {
        runs.tick().await;
        // No state of the failed run is used afterwards; locks that it may have poisoned are recovered.
        if let Err(panic) = AssertUnwindSafe(run()).catch_unwind().await {
            let panic = panic_text(panic.as_ref());
            tracing::error!(panic, "a run of the upkeep panicked");
        }
    }
}

fn every(period: Duration) -> Interval {
    // An interval of zero panics.
    let mut runs = interval(period.max(Duration::from_millis(1)));
    runs.set_missed_tick_behavior(MissedTickBehavior::Delay);
    runs
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;

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
