//! The values of a datasource: a request that nothing is fetched for until somebody reads it.

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow::{self, Batches, Fetching};
use crate::errors;
use crate::iterate::Records;
use crate::runtime::{AtHome, runtime, wait};

/// The values of a datasource, fetched when they are read and fetched again when they are read again.
///
/// Columns and attributes of frames are named as on the wire (`valueDate`), as in filters and orderings.
#[pyclass(frozen, module = "obeya")]
pub(crate) struct Values {
    request: AtHome<obeya::Values>,
    datasource: i32,
}

impl Values {
    /// The values this request asks for.
    pub(crate) fn new(request: obeya::Values, datasource: i32) -> Self {
        Self {
            request: AtHome::new(request),
            datasource,
        }
    }

    fn request(&self) -> PyResult<obeya::Values> {
        self.request.get("request").cloned()
    }
}

#[pymethods]
impl Values {
    /// All values as a `pyarrow.Table`.
    fn to_arrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let request = self.request()?;
        // Asked for first: a missing library must not cost a download.
        let frames = py.import("obeya._frames")?;
        frames.call_method0("require_pyarrow")?;
        let batches = wait(py, async { request.to_arrow().await })?;
        let batches = batches.map_err(|error| errors::exception(py, &error))?;
        frames.call_method1("table", (Batches(batches),))
    }

    /// All values as a `pandas.DataFrame`. Integers stay integers where values are missing (`Int32`), dimensions are
    /// categories and timestamps are UTC.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let frames = py.import("obeya._frames")?;
        frames.call_method0("require_pandas")?;
        frames.call_method1("frame", (self.to_arrow(py)?,))
    }

    fn __iter__(&self) -> PyResult<Records> {
        Ok(Records::new(self.request()?.pages()))
    }

    /// The Arrow PyCapsule stream interface, for libraries that read it: polars, DuckDB, pyarrow. Each call fetches anew.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows to answer with our own schema, whatever was asked for.
        drop(requested_schema);
        let batches = self.request()?.arrow_stream();
        arrow::stream(py, Box::new(Fetching::new(batches, runtime()?)))
    }

    /// The Arrow PyCapsule schema interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema(py)
    }

    fn __repr__(&self) -> String {
        format!("<obeya.Values of datasource {}>", self.datasource)
    }
}
