//! A call that is to be made: waited for by the classes of `Client`, awaited by those of `AsyncClient`.
//! Nothing is sent before.
//!
//! The arguments and results of operations are elsewhere; here a failure becomes an exception.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::answer::{CallState, Work};
use crate::runtime::{ForkGuard, wait};
use crate::{asyncio, errors};

/// A call that is to be made, once.
#[pyclass(frozen, generic, module = "obeya._obeya")]
pub(crate) struct Call {
    work: ForkGuard<Mutex<Option<Work>>>,
    state: Arc<CallState>,
}

impl Call {
    pub(crate) fn new(state: &Arc<CallState>, work: Work) -> Self {
        Self {
            work: ForkGuard::new(Mutex::new(Some(work))),
            state: Arc::clone(state),
        }
    }

    fn take(&self) -> PyResult<Work> {
        let work = self.work.get("call")?;
        let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
        work.ok_or_else(|| PyRuntimeError::new_err("the call has been made already"))
    }
}

#[pymethods]
impl Call {
    /// Makes the call and waits for its answer.
    fn wait(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.state.log.ask(py);
        let outcome = wait(py, self.take()?);
        self.state.log.write(py);
        match outcome? {
            Ok(make) => make(py),
            Err(error) => Err(errors::exception(py, &error)),
        }
    }

    /// Makes the call in the background of the event loop that runs in this thread. Cancelling the awaiting
    /// task ends it.
    fn __await__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.state.log.ask(py);
        asyncio::start(py, Arc::clone(&self.state), self.take()?)?.call_method0("__await__")
    }
}
