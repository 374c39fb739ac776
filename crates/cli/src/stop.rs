//! Waits for the signal to stop, and for the one to read files again.

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

/// SIGHUP, which asks a service to read its files again. Elsewhere than on Unix it never comes.
///
/// It is caught from the creation of this value; an uncaught one ends the process.
pub(crate) struct ReloadSignal {
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
}

impl ReloadSignal {
    /// Catches the signal.
    #[cfg(unix)]
    pub(crate) fn catch() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Returns when the signal came; called again, when it came again.
    #[cfg(unix)]
    pub(crate) async fn received(&mut self) {
        self.hangup.recv().await;
    }

    /// Catches nothing.
    #[cfg(not(unix))]
    pub(crate) fn catch() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Never returns.
    #[cfg(not(unix))]
    pub(crate) async fn received(&mut self) {
        std::future::pending().await
    }
}
