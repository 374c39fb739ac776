//! Improvements.

use obeya::model;
use pyo3::prelude::*;

use crate::arguments::{Moment, Where};
use crate::handle::Handle;
use crate::lists::Query;
use crate::names::Names;
use crate::top::Top;

#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct ImprovementCalls(pub(crate) Handle);

#[pymethods]
impl ImprovementCalls {
    #[pyo3(signature = (*, r#where, order_by, modified_start, modified_end, page_size, top))]
    fn list(
        &self,
        r#where: Option<Where>,
        order_by: Option<Names>,
        modified_start: Option<Moment>,
        modified_end: Option<Moment>,
        page_size: Option<i32>,
        top: Option<Top>,
    ) -> PyResult<Query> {
        let mut list = self.0.client()?.improvements().list();
        if let Some(condition) = r#where {
            list = list.filter(condition.checked::<model::Improvement>()?);
        }
        if let Some(Names(keys)) = order_by {
            list = list.orderby(keys);
        }
        if let Some(bound) = modified_start {
            list = list.modified_from(bound.after());
        }
        if let Some(bound) = modified_end {
            list = list.modified_to(bound.before());
        }
        if let Some(records) = page_size {
            list = list.page_size(records);
        }
        Ok(Query::numbered(&self.0, list, top, obeya::Records::top))
    }
}
