//! Whether the caller of a unit of work still waits for it.
//!
//! A caller is a future, which is dropped when its client disconnects. The work runs on another thread, and
//! would keep its connection for as long as its statement may take. So a connection asks from time to time
//! whether its caller has gone, and stops its statement if so.

use tokio::sync::watch;

/// Held by a future while it waits: the caller has gone when it is dropped.
pub(super) struct Waits(#[expect(dead_code, reason = "only its drop matters")] watch::Sender<()>);

/// The caller of a unit of work.
#[derive(Clone, Debug)]
pub(super) struct Caller(watch::Receiver<()>);

/// A caller, and what its future holds.
pub(super) fn caller() -> (Waits, Caller) {
    let (sender, receiver) = watch::channel(());
    (Waits(sender), Caller(receiver))
}

impl Caller {
    /// Whether it has gone.
    pub(super) fn has_gone(&self) -> bool {
        self.0.has_changed().is_err()
    }

    /// Completes when it has gone.
    pub(super) async fn gone(&mut self) {
        // Nothing is ever sent.
        while self.0.changed().await.is_ok() {}
    }
}
