//! Datasources and their values.

use obeya::model;
use pyo3::prelude::*;

use crate::arguments::{Id, Moment, Where, bodies};
use crate::call::Call;
use crate::handle::Handle;
use crate::lists::Query;
use crate::models::{DATASOURCE_VALUE_INPUT, Datasource, DatasourceValue, rows};
use crate::names::Names;
use crate::top::Top;

#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct DatasourceCalls(pub(crate) Handle);

#[pymethods]
impl DatasourceCalls {
    #[pyo3(signature = (if_match, idempotency_key, /))]
    fn carrying(&self, if_match: Option<String>, idempotency_key: Option<String>) -> Self {
        Self(self.0.carrying(if_match, idempotency_key))
    }

    #[pyo3(signature = (datasource, /, *, start, end, r#where, order_by, page_size, top, prefetch))]
    #[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
    fn values(
        &self,
        datasource: Id<Datasource>,
        start: Option<Moment>,
        end: Option<Moment>,
        r#where: Option<Where>,
        order_by: Option<Names>,
        page_size: Option<i32>,
        top: Option<Top>,
        prefetch: usize,
    ) -> PyResult<Query> {
        let mut values = self.0.client()?.datasources().values(datasource.0);
        if let Some(bound) = start {
            values = values.from(bound.after());
        }
        if let Some(bound) = end {
            values = values.to(bound.before());
        }
        if let Some(condition) = r#where {
            values = values.filter(condition.checked::<model::DatasourceValue>()?);
        }
        if let Some(Names(keys)) = order_by {
            values = values.orderby(keys);
        }
        if let Some(number) = page_size {
            values = values.page_size(number);
        }
        let list = values.prefetch(prefetch);
        Ok(Query::numbered(&self.0, list, top, obeya::Values::top))
    }

    #[pyo3(signature = (datasource, values, first, /))]
    fn create_values(
        &self,
        datasource: Id<Datasource>,
        values: &Bound<'_, PyAny>,
        first: usize,
    ) -> PyResult<Call> {
        let values = rows(&DATASOURCE_VALUE_INPUT, values, "values", first)?;
        self.0.call(move |client| async move {
            client
                .datasources()
                .create_values(datasource.0, &values)
                .await
        })
    }

    #[pyo3(signature = (datasource, values, /))]
    fn delete_values(
        &self,
        datasource: Id<Datasource>,
        values: Vec<Id<DatasourceValue>>,
    ) -> PyResult<Call> {
        let ids: Vec<i32> = values.into_iter().map(|value| value.0).collect();
        self.0.call(move |client| async move {
            client.datasources().delete_values(datasource.0, &ids).await
        })
    }

    #[pyo3(signature = (datasource, values, start, end, /))]
    fn replace_values(
        &self,
        datasource: Id<Datasource>,
        values: &Bound<'_, PyAny>,
        start: Moment,
        end: Moment,
    ) -> PyResult<Call> {
        let values = bodies(&DATASOURCE_VALUE_INPUT, values, "values")?;
        self.0.call(move |client| async move {
            let datasources = client.datasources();
            datasources
                .replace_values(datasource.0, start.first(), end.last(), &values)
                .await
        })
    }
}
