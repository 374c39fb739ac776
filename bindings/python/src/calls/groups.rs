//! Groups.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{Id, Names, get, list};
use crate::call::Call;
use crate::handle::Handle;
use crate::lists::Query;
use crate::models::Group;

#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct GroupCalls(pub(crate) Handle);

#[pymethods]
impl GroupCalls {
    #[pyo3(signature = (**options))]
    fn list(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<Query> {
        list(&self.0, self.0.client()?.groups().list(), options)
    }

    fn list_v1(&self) -> PyResult<Query> {
        let groups = self.0.client()?.groups();
        Ok(Query::whole(&self.0, "listGroupsV1", move || {
            let groups = groups.clone();
            async move { groups.list_v1().await }
        }))
    }

    #[pyo3(signature = (group, select, expand, /))]
    fn get(
        &self,
        group: Id<Group>,
        select: Option<Names>,
        expand: Option<Names>,
    ) -> PyResult<Call> {
        self.0
            .call(move |client| get(client.groups().get(group.0), select, expand).send())
    }
}
