//! From an answer of the SDK to a Python object: the kinds of answers, and the work that fetches one.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use obeya::model::Timestamp;
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokio::sync::Semaphore;

use crate::log::Log;
use crate::models::Record;

/// Creates the Python object of an answer. Needs the GIL.
pub(crate) type Make = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

/// What the calls of a client share while they are made.
pub(crate) struct CallState {
    /// The turns of those that are awaited: only so many are under way at once, each with a connection. A
    /// service takes only so many of those, and leaves others without an answer.
    pub(crate) turns: Arc<Semaphore>,
    pub(crate) log: Arc<Log>,
}

impl CallState {
    /// With so many turns.
    pub(crate) fn new(turns: usize, log: Arc<Log>) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(turns)),
            log,
        }
    }
}

/// The work that fetches an answer.
pub(crate) type Work = Pin<Box<dyn Future<Output = obeya::Result<Make>> + Send>>;

/// An answer that Python can have.
pub(crate) trait Answer: Send + 'static {
    /// The answer as a Python object.
    fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>>;
}

impl<T: Record> Answer for T {
    fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.into_object(py)?.unbind())
    }
}

impl Answer for () {
    fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(py.None())
    }
}

/// `bytes`: the content of a file.
impl Answer for Vec<u8> {
    fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(PyBytes::new(py, &self).into_any().unbind())
    }
}

impl Answer for i32 {
    fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.into_py_any(py)
    }
}

impl Answer for i64 {
    fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.into_py_any(py)
    }
}

impl Answer for Timestamp {
    fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(crate::time::datetime(py, self)?.into_any().unbind())
    }
}

impl Answer for obeya::Access {
    fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let lifetime = self.expires_in.map(|time| time.as_secs_f64());
        (lifetime, self.scopes).into_py_any(py)
    }
}

impl<T: Answer> Answer for Option<T> {
    fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self {
            Some(answer) => answer.into_python(py),
            None => Ok(py.None()),
        }
    }
}

/// The work of getting an answer.
pub(crate) fn work<T: Answer>(
    answer: impl Future<Output = obeya::Result<T>> + Send + 'static,
) -> Work {
    Box::pin(async { Ok(make(answer.await?)) })
}

/// Makes the object of an answer later.
pub(crate) fn make<T: Answer>(answer: T) -> Make {
    Box::new(|py| answer.into_python(py))
}
