//! Comments on incidents.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{Id, Names, get, list};
use crate::call::Call;
use crate::handle::Handle;
use crate::lists::Query;
use crate::models::{Incident, IncidentComment};

#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct CommentCalls(pub(crate) Handle);

#[pymethods]
impl CommentCalls {
    #[pyo3(signature = (**options))]
    fn list(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<Query> {
        list(&self.0, self.0.client()?.comments().list(), options)
    }

    #[pyo3(signature = (incident, /, **options))]
    fn of_incident(
        &self,
        incident: Id<Incident>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Query> {
        list(
            &self.0,
            self.0.client()?.comments().of_incident(incident.0),
            options,
        )
    }

    #[pyo3(signature = (incident, /))]
    fn of_incident_v1(&self, incident: Id<Incident>) -> PyResult<Query> {
        let comments = self.0.client()?.comments();
        let id = incident.0;
        Ok(Query::whole(
            &self.0,
            "listCommentsOfIncidentV1",
            move || {
                let comments = comments.clone();
                async move { comments.of_incident_v1(id).await }
            },
        ))
    }

    #[pyo3(signature = (comment, select, expand, /))]
    fn get(
        &self,
        comment: Id<IncidentComment>,
        select: Option<Names>,
        expand: Option<Names>,
    ) -> PyResult<Call> {
        self.0
            .call(move |client| get(client.comments().get(comment.0), select, expand).send())
    }
}
