//! Waits for the signal to stop.

use std::io;

/// The signals that ask the process to stop: SIGINT (Ctrl-C), and SIGTERM on Unix.
///
/// They are caught from the creation of this value. A command creates it before it reports that it is ready:
/// a supervisor may send a signal at once, and an uncaught signal would kill the process in the middle of its
/// work.
pub(crate) struct StopSignal {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl StopSignal {
    /// Catches the signals.
    #[cfg(unix)]
    pub(crate) fn catch() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Returns when a signal came; called again, when another one did.
    #[cfg(unix)]
    pub(crate) async fn received(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    /// Catches the signals.
    #[cfg(not(unix))]
    pub(crate) fn catch() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Returns when a signal came; called again, when another one did.
    #[cfg(not(unix))]
    pub(crate) async fn received(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            // No signal can arrive: wait forever.
            std::future::pending::<()>().await;
        }
    }
}
