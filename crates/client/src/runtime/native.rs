//! The client on Tokio.

use tokio::task::JoinHandle;
pub(crate) use tokio::time::{Instant, sleep, timeout_at};

/// A task that is aborted when it is dropped.
pub(crate) struct Task<T>(JoinHandle<T>);

/// Runs the future as a task of its own.
pub(crate) fn spawn<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Task<T> {
    Task(tokio::spawn(work))
}

impl<T> Task<T> {
    pub(crate) async fn finish(mut self) -> T {
        match (&mut self.0).await {
            Ok(outcome) => outcome,
            // Only `drop` aborts it, so this is a panic: pass it on to the caller.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The future of an exchange over HTTP, which any thread may poll.
pub(crate) fn exchange<F: Future + Send>(exchange: F) -> F {
    exchange
}

/// Runs work of milliseconds on a thread that may block.
#[cfg(feature = "arrow")]
pub(crate) async fn compute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        // It is never aborted, so this is a panic: pass it on to the caller.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
