//! Record batches for other libraries, by the Arrow PyCapsule interface: no copy, and no library of ours on the other side.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use obeya::Paged;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tokio::runtime::Runtime;

use crate::call::Answer;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";

/// Batches in memory that another library may read, again and again.
#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct Batches(pub(crate) Vec<RecordBatch>);

impl Answer for Batches {
    fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, self)?.into_any())
    }
}

#[pymethods]
impl Batches {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows to answer with our own schema, whatever was asked for.
        drop(requested_schema);
        let batches = self.0.clone().into_iter().map(Ok);
        stream(
            py,
            Box::new(RecordBatchIterator::new(batches, obeya::value_schema())),
        )
    }
}

/// A reader as a capsule.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}

/// The schema of values as a capsule.
pub(crate) fn schema(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(&*obeya::value_schema());
    let schema = schema.map_err(|error| PyValueError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Batches that are fetched while another library reads them, on whatever thread it likes and with or without the GIL, which
/// this never takes: the thread that holds it may be waiting for us.
pub(crate) struct Fetching {
    batches: Option<Paged<RecordBatch>>,
    runtime: &'static Runtime,
}

impl Fetching {
    /// Reads from a stream of the SDK.
    pub(crate) fn new(batches: Paged<RecordBatch>, runtime: &'static Runtime) -> Self {
        Self {
            batches: Some(batches),
            runtime,
        }
    }
}

impl Iterator for Fetching {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut batches = self.batches.take()?;
        match self.runtime.block_on(batches.next())? {
            Ok(batch) => {
                self.batches = Some(batches);
                Some(Ok(batch))
            }
            Err(error) => Some(Err(ArrowError::ExternalError(Box::new(error)))),
        }
    }
}

impl RecordBatchReader for Fetching {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&obeya::value_schema())
    }
}
