//! The runtime of a blocking client: it waits for asynchronous work in the thread of the caller.

use std::fmt;
use std::sync::Arc;

use tokio::runtime::{Builder, Handle};

use crate::error::{ConfigError, Error, Result};

/// A runtime with one thread, which serves connections and prefetches pages while no call waits. Clones
/// share it.
#[derive(Clone)]
pub(crate) struct Runtime(Arc<Owned>);

/// The runtime until it is dropped.
struct Owned(Option<tokio::runtime::Runtime>);

impl Runtime {
    pub(super) fn new() -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("obeya-blocking")
            .enable_all()
            .build();
        let runtime = runtime.map_err(|error| ConfigError::Invalid {
            setting: "runtime",
            reason: format!("a thread cannot be started: {error}"),
        })?;
        Ok(Self(Arc::new(Owned(Some(runtime)))))
    }

    /// Waits for the work.
    pub(super) fn wait<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        Self::check()?;
        match &self.0.0 {
            Some(runtime) => runtime.block_on(work),
            None => unreachable!("it is taken only by `drop`"),
        }
    }

    /// The next item of a stream, if there is one.
    pub(super) fn wait_next<T>(
        &self,
        work: impl Future<Output = Option<Result<T>>>,
    ) -> Option<Result<T>> {
        self.wait(async { work.await.transpose() }).transpose()
    }

    /// Refuses to wait where waiting would stop the tasks of another runtime. There Tokio panics.
    fn check() -> Result<()> {
        match Handle::try_current() {
            Ok(_) => Err(Error::InsideRuntime),
            Err(_) => Ok(()),
        }
    }

    /// Runs what needs a runtime around it and does not wait.
    pub(super) fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        let _entered = self.0.0.as_ref().map(tokio::runtime::Runtime::enter);
        work()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // Dropping a runtime waits for its thread, which panics within another runtime.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Runtime")
    }
}
