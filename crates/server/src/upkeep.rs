//! What a service does on its own, now and then: keep up with other processes, and empty the trash.
//!
//! A turn that fails is logged and left to the next one. Nothing a caller can see may depend on how often these run: a revoked
//! client is the one exception, and a trashed incident is never listed late, purged or not.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::app::App;
use crate::store::incidents;

/// Starts the tasks; they end when the set is dropped.
pub(crate) fn start(app: &Arc<App>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    tasks.spawn(follow_auth(Arc::clone(app)));
    tasks.spawn(empty_trash(Arc::clone(app)));
    tasks
}

/// Clients revoked and keys made by other processes over the same database.
async fn follow_auth(app: Arc<App>) {
    let mut turns = every(app.config.limits.auth_poll);
    loop {
        turns.tick().await;
        if let Err(error) = app.tokens.refresh(&app.store).await {
            tracing::warn!(%error, "cannot ask the store for revoked clients");
        }
    }
}

/// Incidents that have been in the trash for their 30 days.
async fn empty_trash(app: Arc<App>) {
    let mut turns = every(app.config.limits.purge);
    loop {
        turns.tick().await;
        match incidents::purge(&app.store, app.clock.ticks()).await {
            Ok(0) => {}
            Ok(purged) => tracing::info!(purged, "emptied the trash"),
            Err(error) => tracing::warn!(%error, "cannot empty the trash"),
        }
    }
}

fn every(period: Duration) -> Interval {
    // An interval of nothing panics.
    let mut turns = interval(period.max(Duration::from_millis(1)));
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    turns
}
