//! Incidents, their types and the trash.

use std::future::Future;

use obeya::Incidents;
use obeya::model::{
    self, IncidentCustomFieldUpdate, IncidentResponsibleUpdate, IncidentSeverityUpdate,
    IncidentStatusUpdate,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use serde_json::json;

use crate::answer::Answer;
use crate::arguments::{Day, Id, Moment, Where};
use crate::call::Call;
use crate::handle::Handle;
use crate::lists::Query;
use crate::models::{
    self, GroupV2, INCIDENT_CUSTOM_FIELD_UPDATE, INCIDENT_RESPONSIBLE_UPDATE,
    INCIDENT_SEVERITY_UPDATE, INCIDENT_STATUS_UPDATE, IncidentCustomField, IncidentTypeSummary,
    IncidentV1,
};
use crate::names::Names;
use crate::top::Top;

#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct IncidentCalls(pub(crate) Handle);

#[pymethods]
impl IncidentCalls {
    #[pyo3(signature = (if_match, idempotency_key, /))]
    fn carrying(&self, if_match: Option<String>, idempotency_key: Option<String>) -> Self {
        Self(self.0.carrying(if_match, idempotency_key))
    }

    #[pyo3(signature = (*, r#where, order_by, r#type, incident_start, incident_end, modified_start, modified_end, page_size, top))]
    #[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
    fn list(
        &self,
        r#where: Option<Where>,
        order_by: Option<Names>,
        r#type: Option<Id<IncidentTypeSummary>>,
        incident_start: Option<Day>,
        incident_end: Option<Day>,
        modified_start: Option<Moment>,
        modified_end: Option<Moment>,
        page_size: Option<i32>,
        top: Option<Top>,
    ) -> PyResult<Query> {
        let mut list = self.0.client()?.incidents().list();
        if let Some(condition) = r#where {
            list = list.filter(condition.checked::<model::IncidentV1>()?);
        }
        if let Some(Names(keys)) = order_by {
            list = list.orderby(keys);
        }
        if let Some(id) = r#type {
            list = list.type_id(id.0);
        }
        if let Some(day) = incident_start {
            list = list.incident_date_from(day.before());
        }
        if let Some(day) = incident_end {
            list = list.incident_date_to(day.after());
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

    #[pyo3(signature = (incident, status, /))]
    fn set_status(&self, incident: Id<IncidentV1>, status: &str) -> PyResult<Call> {
        let new: IncidentStatusUpdate =
            models::parse(&INCIDENT_STATUS_UPDATE, json!({ "status": status }))?;
        self.call(
            move |incidents| async move { incidents.set_status(incident.0, new.status).await },
        )
    }

    #[pyo3(signature = (incident, severity, /))]
    fn set_severity(&self, incident: Id<IncidentV1>, severity: &str) -> PyResult<Call> {
        let new: IncidentSeverityUpdate =
            models::parse(&INCIDENT_SEVERITY_UPDATE, json!({ "severity": severity }))?;
        let severity = new
            .severity
            .ok_or_else(|| PyTypeError::new_err("severity cannot be None"))?;
        self.call(
            move |incidents| async move { incidents.set_severity(incident.0, severity).await },
        )
    }

    #[pyo3(signature = (incident, group, user, /))]
    fn set_responsible(
        &self,
        incident: Id<IncidentV1>,
        group: Id<GroupV2>,
        user: &str,
    ) -> PyResult<Call> {
        let new: IncidentResponsibleUpdate = models::parse(
            &INCIDENT_RESPONSIBLE_UPDATE,
            json!({ "followUpGroupId": group.0, "responsibleUserId": user }),
        )?;
        self.call(move |incidents| async move {
            let (group, user) = (new.follow_up_group_id, new.responsible_user_id);
            incidents.set_responsible(incident.0, group, user).await
        })
    }

    #[pyo3(signature = (incident, field, value, /))]
    fn set_custom_field(
        &self,
        incident: Id<IncidentV1>,
        field: Id<IncidentCustomField>,
        value: &str,
    ) -> PyResult<Call> {
        let new: IncidentCustomFieldUpdate =
            models::parse(&INCIDENT_CUSTOM_FIELD_UPDATE, json!({ "value": value }))?;
        self.call(move |incidents| async move {
            let value = new.value;
            incidents.set_custom_field(incident.0, field.0, value).await
        })
    }

    #[pyo3(signature = (incident, external_id, /))]
    fn set_external_id(
        &self,
        incident: Id<IncidentV1>,
        external_id: Option<String>,
    ) -> PyResult<Call> {
        self.call(move |incidents| async move {
            incidents
                .set_external_id(incident.0, external_id.as_deref())
                .await
        })
    }

    #[pyo3(signature = (r#where, /))]
    fn trash(&self, r#where: Option<Where>) -> PyResult<Query> {
        let mut trash = self.0.client()?.incidents().trash();
        if let Some(condition) = r#where {
            trash = trash.filter(condition.checked::<model::TrashedIncident>()?);
        }
        Ok(Query::whole(&self.0, "listTrashedIncidents", move || {
            trash.clone().send()
        }))
    }

    #[pyo3(signature = (language, /))]
    fn types(&self, language: Option<String>) -> PyResult<Query> {
        let mut types = self.0.client()?.incidents().types();
        if let Some(code) = language {
            types = types.language(code);
        }
        Ok(Query::whole(&self.0, "listIncidentTypesV1", move || {
            types.clone().send()
        }))
    }

    #[pyo3(signature = (r#type, language, /))]
    fn type_detail(
        &self,
        r#type: Id<IncidentTypeSummary>,
        language: Option<String>,
    ) -> PyResult<Call> {
        self.call(move |incidents| {
            let detail = incidents.type_detail(r#type.0);
            match language {
                Some(code) => detail.language(code),
                None => detail,
            }
            .send()
        })
    }
}

impl IncidentCalls {
    fn call<T, F>(&self, ask: impl FnOnce(Incidents) -> F + Send + 'static) -> PyResult<Call>
    where
        T: Answer,
        F: Future<Output = obeya::Result<T>> + Send + 'static,
    {
        self.0.call(|client| ask(client.incidents()))
    }
}
