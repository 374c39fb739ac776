//! Waiting for the signal to stop.

use std::io;

/// Returns when the process is asked to stop: by SIGINT (Ctrl-C), or SIGTERM where there is one.
pub(crate) async fn asked() -> io::Result<()> {
    #[cfg(unix)]
    {
        let mut terminate =
            tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
