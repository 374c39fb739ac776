//! Areas.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{Id, Names, get, list};
use crate::call::Call;
use crate::handle::Handle;
use crate::lists::Query;
use crate::models::Area;

#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct AreaCalls(pub(crate) Handle);

#[pymethods]
impl AreaCalls {
    #[pyo3(signature = (**options))]
    fn list(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<Query> {
        list(&self.0, self.0.client()?.areas().list(), options)
    }

    #[pyo3(signature = (area, select, /))]
    fn get(&self, area: Id<Area>, select: Option<Names>) -> PyResult<Call> {
        self.0
            .call(move |client| get(client.areas().get(area.0), select, None).send())
    }
}
