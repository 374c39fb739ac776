//! Improvements.

use pyo3::prelude::*;

use crate::arguments::{Id, Moment, Names, Where, body};
use crate::call::Call;
use crate::handle::Handle;
use crate::lists::Query;
use crate::models::{IMPROVEMENT_CREATE, IMPROVEMENT_UPDATE, Improvement};

#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct ImprovementCalls(pub(crate) Handle);

#[pymethods]
impl ImprovementCalls {
    #[pyo3(signature = (if_match, idempotency_key, /))]
    fn carrying(&self, if_match: Option<String>, idempotency_key: Option<String>) -> Self {
        Self(self.0.carrying(if_match, idempotency_key))
    }

    #[pyo3(signature = (*, r#where, order_by, modified_start, modified_end, page_size))]
    fn list(
        &self,
        r#where: Option<Where>,
        order_by: Option<Names>,
        modified_start: Option<Moment>,
        modified_end: Option<Moment>,
        page_size: Option<i32>,
    ) -> PyResult<Query> {
        let mut list = self.0.client()?.improvements().list();
        if let Some(Where(expression)) = r#where {
            list = list.filter(expression);
        }
        if let Some(Names(keys)) = order_by {
            list = list.orderby(keys);
        }
        if let Some(Moment(instant)) = modified_start {
            list = list.modified_from(instant);
        }
        if let Some(Moment(instant)) = modified_end {
            list = list.modified_to(instant);
        }
        if let Some(records) = page_size {
            list = list.page_size(records);
        }
        Ok(Query::new(&self.0, list))
    }

    #[pyo3(signature = (improvement, /))]
    fn get(&self, improvement: Id<Improvement>) -> PyResult<Call> {
        self.0
            .call(move |client| async move { client.improvements().get(improvement.0).await })
    }

    #[pyo3(signature = (fields, /))]
    fn create(&self, fields: &Bound<'_, PyAny>) -> PyResult<Call> {
        let new = body(&IMPROVEMENT_CREATE, fields, "improvements.create()")?;
        self.0
            .call(move |client| async move { client.improvements().create(&new).await })
    }

    #[pyo3(signature = (improvement, fields, /))]
    fn update(&self, improvement: Id<Improvement>, fields: &Bound<'_, PyAny>) -> PyResult<Call> {
        let update = body(&IMPROVEMENT_UPDATE, fields, "improvements.update()")?;
        self.0.call(move |client| async move {
            client.improvements().update(improvement.0, &update).await
        })
    }

    #[pyo3(signature = (improvement, /))]
    fn delete(&self, improvement: Id<Improvement>) -> PyResult<Call> {
        self.0
            .call(move |client| async move { client.improvements().delete(improvement.0).await })
    }
}
