//! Record batches for other libraries, by the Arrow PyCapsule interface: without a copy, and independent of
//! the library.

use std::ffi::CStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use arrow_array::ffi::to_ffi;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array as _, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use obeya::ArrowPage;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tokio::runtime::Runtime;

use crate::answer::{Answer, CallState, make};
use crate::call::Call;
use crate::runtime::{ForkGuard, forked_message, runtime, wait};

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// The pages of a list as batches.
pub(crate) type Fetch = BoxStream<'static, obeya::Result<ArrowPage>>;

/// The batches of a list that is being read, one for each page.
#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct Batches {
    rest: ForkGuard<Arc<Mutex<Option<Fetch>>>>,
    state: Arc<CallState>,
}

impl Batches {
    pub(crate) fn new(pages: Fetch, state: &Arc<CallState>) -> Self {
        Self {
            rest: ForkGuard::new(Arc::new(Mutex::new(Some(pages)))),
            state: Arc::clone(state),
        }
    }
}

#[pymethods]
impl Batches {
    /// The next batch, or `None` after the last and after a failure.
    fn next(&self) -> PyResult<Call> {
        let rest = Arc::clone(self.rest.get("iterator")?);
        let next = async move {
            // Taken out while a page is fetched, so that an interrupt or a cancellation drops the connection.
            let taken = rest.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(mut pages) = taken else {
                return Ok(make(None::<()>));
            };
            match pages.next().await {
                None => Ok(make(None::<()>)),
                Some(Err(error)) => Err(error),
                Some(Ok(page)) => {
                    *rest.lock().unwrap_or_else(PoisonError::into_inner) = Some(pages);
                    Ok(make(Batch(page)))
                }
            }
        };
        Ok(Call::new(&self.state, Box::pin(next)))
    }
}

/// A page of a list as a batch, which other libraries may read again and again.
#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct Batch(ArrowPage);

impl Answer for Batch {
    fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, self)?.into_any())
    }
}

impl Batch {
    /// Its rows.
    pub(crate) fn rows(&self) -> &RecordBatch {
        &self.0.batch
    }
}

#[pymethods]
impl Batch {
    /// How many rows it has.
    #[getter(rows)]
    fn count(&self) -> usize {
        self.0.batch.num_rows()
    }

    /// The number of all rows, if the service returns it.
    #[getter]
    fn total(&self) -> Option<i32> {
        self.0.count
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The interface allows us to answer with our own schema, whatever was requested.
        drop(requested_schema);
        let rows = StructArray::from(self.0.batch.clone());
        let (array, _) = to_ffi(&rows.to_data()).map_err(|error| broken(&error))?;
        let array = PyCapsule::new_with_value(py, array, ARRAY)?;
        Ok((schema(py, &self.0.batch.schema())?, array))
    }
}

/// Batches in memory that another library may read, again and again.
#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct Rows {
    schema: SchemaRef,
    batches: Mutex<Vec<RecordBatch>>,
}

impl Rows {
    /// None yet.
    pub(crate) fn new(schema: SchemaRef) -> Self {
        Self {
            schema,
            batches: Mutex::default(),
        }
    }
}

#[pymethods]
impl Rows {
    /// Takes a batch of the same list.
    #[pyo3(signature = (batch, /))]
    fn append(&self, batch: &Batch) {
        let mut batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        batches.push(batch.0.batch.clone());
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        let batches = batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        stream(py, Box::new(reader))
    }
}

/// A reader as a capsule.
fn stream<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}

/// A schema as a capsule.
pub(crate) fn schema<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(&**schema).map_err(|error| broken(&error))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

fn broken(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A stream that fetches while another library reads it, as a capsule.
pub(crate) fn fetching<'py>(
    py: Python<'py>,
    pages: Fetch,
    schema: SchemaRef,
) -> PyResult<Bound<'py, PyCapsule>> {
    let threading = py.import("threading")?;
    let (this, main) = (
        threading.call_method0("current_thread")?,
        threading.call_method0("main_thread")?,
    );
    let reader = Fetching {
        pages: ForkGuard::new(Some(pages)),
        schema,
        runtime: runtime()?,
        main: this.is(&main).then(|| thread::current().id()),
    };
    stream(py, Box::new(reader))
}

/// Batches that are fetched while another library reads them, on any thread, with or without the GIL.
struct Fetching {
    pages: ForkGuard<Option<Fetch>>,
    schema: SchemaRef,
    runtime: &'static Runtime,
    /// The thread of the interpreter that hears of signals, if the stream was made there.
    main: Option<ThreadId>,
}

impl Iterator for Fetching {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(rest) = self.pages.get_mut() else {
            return Some(Err(ArrowError::ExternalError(
                forked_message("stream").into(),
            )));
        };
        let mut pages = rest.take()?;
        let outcome = if self.main == Some(thread::current().id()) {
            match Python::try_attach(|py| listening(py, pages.next())) {
                Some(Ok(page)) => page,
                Some(Err(interrupted)) => return Some(Err(interrupted)),
                None => self.runtime.block_on(pages.next()),
            }
        } else {
            // Releases the GIL: its holder may be waiting for this thread.
            self.runtime.block_on(pages.next())
        };
        match outcome? {
            Ok(page) => {
                *rest = Some(pages);
                Some(Ok(page.batch))
            }
            Err(error) => Some(Err(ArrowError::ExternalError(Box::new(error)))),
        }
    }
}

impl RecordBatchReader for Fetching {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Waits in the main thread and reacts to Ctrl-C. The library in between has its own errors only, so the
/// signal is raised again for Python to find when the library has given up.
fn listening<F>(py: Python<'_>, work: F) -> Result<F::Output, ArrowError>
where
    F: Future + Send,
    F::Output: Send,
{
    wait(py, work).map_err(|error| {
        if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
            // The exception of the program's own handler, or there is no runtime.
            return ArrowError::ExternalError(error.to_string().into());
        }
        // Before the signal is raised again, because it ends whatever Python executes from then on.
        drop(error);
        // SAFETY: it may be called from any thread and at any time.
        unsafe { pyo3::ffi::PyErr_SetInterrupt() };
        ArrowError::ExternalError("interrupted".into())
    })
}
