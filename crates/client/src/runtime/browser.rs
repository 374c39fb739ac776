//! The client in a browser, or in another host of JavaScript with `fetch` and timers.
//!
//! There is one thread, and the objects of JavaScript cannot leave theirs.

use futures_util::future::{FutureExt as _, RemoteHandle};
use send_wrapper::SendWrapper;
pub(crate) use wasmtimer::std::Instant;
pub(crate) use wasmtimer::tokio::{sleep, timeout_at};

/// A task that ends when it is dropped.
pub(crate) struct Task<T>(RemoteHandle<T>);

/// Runs the future as a task of its own.
pub(crate) fn spawn<T: 'static>(work: impl Future<Output = T> + 'static) -> Task<T> {
    let (work, handle) = work.remote_handle();
    wasm_bindgen_futures::spawn_local(work);
    Task(handle)
}

impl<T: 'static> Task<T> {
    pub(crate) async fn finish(self) -> T {
        self.0.await
    }
}

/// The future of an exchange over HTTP. It panics if a worker polls or drops what another one began.
pub(crate) fn exchange<F: Future>(exchange: F) -> SendWrapper<F> {
    SendWrapper::new(exchange)
}

/// Runs work of milliseconds at once, since there is no other thread.
#[cfg(feature = "arrow")]
pub(crate) async fn compute<T>(work: impl FnOnce() -> T) -> T {
    work()
}
