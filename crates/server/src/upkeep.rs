//! What a service does on its own, now and then: keep up with other processes, look whether its files are in
//! their place, empty the trash, and purge idempotency records that have expired.
//!
//! A turn that fails or panics is logged and left to the next one. Nothing a caller can see may depend on how
//! often these run: a revoked client is the one exception, a trashed incident is never listed late and an
//! expired key never known, purged or not.

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
use obeya_store::{idempotency_records, incidents};

/// Starts the tasks; they end when the set is dropped.
pub(crate) fn start(app: &Arc<App>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let limits = &app.config.limits;
    let following = Arc::clone(app);
    tasks.spawn(repeat(limits.auth_poll.min(LONGEST_POLL), move || {
        follow_auth(Arc::clone(&following))
    }));
    let looking = Arc::clone(app);
    let are_there = Arc::new(AtomicBool::new(true));
    tasks.spawn(repeat(limits.file_check, move || {
        check_files(Arc::clone(&looking), Arc::clone(&are_there))
    }));
    let emptying = Arc::clone(app);
    tasks.spawn(repeat(limits.purge, move || {
        empty_trash(Arc::clone(&emptying))
    }));
    let purging = Arc::clone(app);
    tasks.spawn(repeat(limits.purge, move || {
        purge_keys(Arc::clone(&purging))
    }));
    tasks
}

/// Clients revoked and keys made by other processes over the same database.
async fn follow_auth(app: Arc<App>) {
    if let Err(error) = app.tokens.refresh(&app.store).await {
        tracing::warn!(%error, "cannot ask the store for revoked clients");
    }
}

/// Files of the database that were removed or replaced. Writes and `/readyz` find it out by themselves; this
/// says so where nobody asks, once.
async fn check_files(app: Arc<App>, were_there: Arc<AtomicBool>) {
    let checked = app.store.check_files();
    let were_there = were_there.swap(checked.is_ok(), Ordering::Relaxed);
    match checked {
        Err(error) if were_there => tracing::error!(%error, "the database cannot be written"),
        Ok(()) if !were_there => tracing::info!("the database can be written again"),
        _ => {}
    }
}

/// Incidents that have been in the trash for their 30 days.
async fn empty_trash(app: Arc<App>) {
    match incidents::purge(&app.store, app.clock.ticks()).await {
        Ok(0) => {}
        Ok(purged) => tracing::info!(purged, "emptied the trash"),
        Err(error) => tracing::warn!(%error, "cannot empty the trash"),
    }
}

/// Idempotency records of more than a day ago.
async fn purge_keys(app: Arc<App>) {
    match idempotency_records::purge(&app.store, app.clock.ticks()).await {
        Ok(0) => {}
        Ok(purged) => tracing::info!(purged, "purged idempotency records"),
        Err(error) => tracing::warn!(%error, "cannot purge idempotency records"),
    }
}

/// Takes turns for ever. One that panics must not end them: nobody would notice, and revoked clients would
/// stay in.
async fn repeat<Turn: Future<Output = ()>>(period: Duration, mut turn: impl FnMut() -> Turn) {
    let mut turns = every(period);
    loop {
        turns.tick().await;
        // Nothing of the turn is looked at afterwards; the locks it may have poisoned are taken all the same.
        if let Err(panic) = AssertUnwindSafe(turn()).catch_unwind().await {
            let panic = panic_text(panic.as_ref());
            tracing::error!(panic, "a turn of the upkeep panicked");
        }
    }
}

fn every(period: Duration) -> Interval {
    // An interval of nothing panics.
    let mut turns = interval(period.max(Duration::from_millis(1)));
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    turns
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn a_turn_that_panics_is_not_the_last() {
        let (begun, mut turns) = mpsc::unbounded_channel();
        let repeating = tokio::spawn(repeat(Duration::from_millis(1), move || {
            let begun = begun.clone();
            async move {
                begun.send(()).expect("the test listens");
                panic!("out of cheese");
            }
        }));
        for _ in 0..2 {
            turns.recv().await.expect("a turn");
        }
        repeating.abort();
    }
}
