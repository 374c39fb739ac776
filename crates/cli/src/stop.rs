//! Waiting for the signal to stop.

use std::io;

/// The signals that ask the process to stop: SIGINT (Ctrl-C), and SIGTERM where there is one.
///
/// They are caught from the moment this is made. A command makes it before it says that it is ready: whoever
/// reads that may send one at once, and an uncaught signal would end the process in the middle of its work.
pub(crate) struct Stop {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Stop {
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
    pub(crate) async fn asked(&mut self) {
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
    pub(crate) async fn asked(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            // No signal can come, so none is waited for.
            std::future::pending::<()>().await;
        }
    }
}
