//! The Tokio runtime of the process, and waiting on it from Python: without the GIL, and interruptible by
//! Ctrl-C.
//!
//! A fork copies memory but not threads: in the child the parent's runtime hangs forever. So a child gets its
//! own runtime, and objects made in the parent refuse to work there, with an error that explains the remedy.

use std::future::Future;
use std::mem::ManuallyDrop;
use std::pin::pin;
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Runtime};

/// How long Python may wait before it looks for a signal. Ctrl-C should work within 0.2 s on a busy machine
/// too.
const SLICE: Duration = Duration::from_millis(50);

/// A runtime and the process it was made in.
struct Own {
    process: u32,
    runtime: Runtime,
}

/// Not a lock: if another thread held it at the moment of a fork, it would stay locked in the child forever.
static CURRENT: AtomicPtr<Own> = AtomicPtr::new(ptr::null_mut());

/// The runtime of this process, created on first use. It lives as long as the process: stopping its threads
/// while the interpreter ends has no benefit.
pub(crate) fn runtime() -> PyResult<&'static Runtime> {
    let current = CURRENT.load(Ordering::Acquire);
    // SAFETY: the pointer is null or comes from `Box::leak` below, so it is valid for ever and never written
    // through.
    if let Some(own) = unsafe { current.as_ref() }
        && own.process == process::id()
    {
        return Ok(&own.runtime);
    }
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .thread_name("obeya")
        .build()
        .map_err(|error| {
            PyRuntimeError::new_err(format!("the runtime could not be started: {error}"))
        })?;
    let own: &'static mut Own = Box::leak(Box::new(Own {
        process: process::id(),
        runtime,
    }));
    let own = ptr::from_mut(own);
    let winner = match CURRENT.compare_exchange(current, own, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => own,
        // Another thread was faster; its runtime is as good, and ours stays idle.
        Err(other) => other,
    };
    // SAFETY: as above; here it is never null.
    Ok(unsafe { &(*winner).runtime })
}

/// Waits for `work` with the GIL released, looking out for signals.
pub(crate) fn wait<F>(py: Python<'_>, work: F) -> PyResult<F::Output>
where
    F: Future + Send,
    F::Output: Send,
{
    let runtime = runtime()?;
    // An interrupted future is dropped here, inside the runtime, because it may notify its tasks.
    let _context = runtime.enter();
    let mut work = pin!(work);
    loop {
        let slice = || runtime.block_on(async { tokio::time::timeout(SLICE, work.as_mut()).await });
        if let Ok(output) = py.detach(slice) {
            return Ok(output);
        }
        py.check_signals()?;
    }
}

/// A value that belongs to the process that created it. In a forked child it can be neither used nor dropped:
/// dropping it there would undo what the parent still needs, such as the database of a test server.
pub(crate) struct ForkGuard<T> {
    process: u32,
    value: ManuallyDrop<T>,
}

impl<T> ForkGuard<T> {
    /// Belongs to this process.
    pub(crate) fn new(value: T) -> Self {
        Self {
            process: process::id(),
            value: ManuallyDrop::new(value),
        }
    }

    /// Whether this is still the process it belongs to.
    pub(crate) fn is_owner(&self) -> bool {
        self.process == process::id()
    }

    /// The value; `what` is its name in errors.
    pub(crate) fn get(&self, what: &str) -> PyResult<&T> {
        if self.is_owner() {
            return Ok(&self.value);
        }
        Err(PyRuntimeError::new_err(forked_message(what)))
    }

    /// The value, in its own process.
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.is_owner().then_some(&mut *self.value)
    }
}

/// Why `what` does nothing in a forked child.
pub(crate) fn forked_message(what: &str) -> String {
    format!(
        "this {what} was made before the process forked and cannot work in the child: make a new one there, \
         or start children with multiprocessing's 'spawn' method"
    )
}

impl<T> Drop for ForkGuard<T> {
    fn drop(&mut self) {
        if !self.is_owner() {
            return;
        }
        // Dropping may notify tasks, which works only inside the runtime.
        let _context = runtime().map(Runtime::enter);
        // SAFETY: this is the only code that drops the value, and nothing reads it afterwards.
        unsafe { ManuallyDrop::drop(&mut self.value) };
    }
}
