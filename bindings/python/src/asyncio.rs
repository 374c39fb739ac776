//! The way into an event loop of asyncio: a future of the loop for work that is done on our runtime.
//!
//! A library for this would bring its own runtime, for which a forked child would wait forever (see
//! [`crate::runtime`]).

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use tokio::task::AbortHandle;

use crate::answer::{CallState, Make, Work};
use crate::errors;
use crate::log::Log;
use crate::runtime::runtime;

/// The result of the work; nothing, if it panicked.
type Outcome = Option<obeya::Result<Make>>;

/// Starts the work in its turn, and returns a future of the running loop that gets its answer.
pub(crate) fn start(
    py: Python<'_>,
    state: Arc<CallState>,
    work: Work,
) -> PyResult<Bound<'_, PyAny>> {
    let event_loop = py.import("asyncio")?.call_method0("get_running_loop")?;
    let future = event_loop.call_method0("create_future")?;
    let (its_loop, its_future) = (event_loop.unbind(), future.clone().unbind());
    let task = runtime()?.spawn(async move {
        // Never closed, so there is always a turn.
        let turn = Arc::clone(&state.turns).acquire_owned().await.ok();
        let outcome = AssertUnwindSafe(work).catch_unwind().await.ok();
        // Not on a thread of the runtime: the holder of the GIL may be waiting for one of those.
        tokio::task::spawn_blocking(move || {
            hand_over(&its_loop, its_future, outcome, &state.log);
            drop(turn);
        });
    });
    future.call_method1("add_done_callback", (Stop(task.abort_handle()),))?;
    Ok(future)
}

/// Passes the outcome to the thread of the loop, unless the interpreter or the loop has ended.
fn hand_over(event_loop: &Py<PyAny>, future: Py<PyAny>, outcome: Outcome, log: &Arc<Log>) {
    Python::try_attach(|py| {
        let delivery = Delivery {
            future,
            outcome: Mutex::new(Some(outcome)),
            log: Arc::clone(log),
        };
        // Fails only if the loop is closed: then there is no waiter.
        let _ = event_loop.call_method1(py, "call_soon_threadsafe", (delivery,));
    });
}

/// Called by the loop, in its thread: resolves the future.
#[pyclass(frozen, module = "obeya._obeya")]
struct Delivery {
    future: Py<PyAny>,
    outcome: Mutex<Option<Outcome>>,
    log: Arc<Log>,
}

#[pymethods]
impl Delivery {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        self.log.write(py);
        let future = self.future.bind(py);
        let outcome = self
            .outcome
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        // Cancelled while the outcome was on its way.
        if future.call_method0("done")?.is_truthy()? {
            return Ok(());
        }
        let answer = match outcome.flatten() {
            Some(Ok(make)) => make(py),
            Some(Err(error)) => Err(errors::exception(py, &error)),
            None => Err(PanicException::new_err("the call panicked")),
        };
        match answer {
            Ok(value) => future.call_method1("set_result", (value,))?,
            Err(error) => future.call_method1("set_exception", (error,))?,
        };
        Ok(())
    }
}

/// The loop calls it when the future is done. If the future was cancelled, the work and its connection are
/// dropped.
#[pyclass(frozen, module = "obeya._obeya")]
struct Stop(AbortHandle);

#[pymethods]
impl Stop {
    fn __call__(&self, _future: &Bound<'_, PyAny>) {
        self.0.abort();
    }
}
