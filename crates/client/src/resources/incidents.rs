//! Incidents: create and update, their types, and the trash.

use std::future::IntoFuture;

use futures_core::future::BoxFuture;
use obeya_api::call;
use obeya_model::{
    CategoryInput, CauseInput, ConsequenceInput, Incident, IncidentCreate,
    IncidentCustomFieldUpdate, IncidentResponsibleUpdate, IncidentSeverity, IncidentSeverityUpdate,
    IncidentStatus, IncidentStatusUpdate, IncidentTypeDetail, IncidentTypeSummary, IncidentTypeV2,
    IncidentTypeV2PaginationResult, IncidentUpdate, IncidentV2, IncidentV2PaginationResult,
    TrashPage, TrashedIncident,
};
use obeya_odata::build::{Clause, Filter};

use super::Comments;
use crate::Client;
use crate::bridge;
use crate::error::Result;
use crate::list::{Get, List};
use crate::records::Records;

resource! {
    /// Incidents; from [`Client::incidents`](crate::Client::incidents).
    Incidents
}

impl Incidents {
    /// `GET /v1/Incidents`: the incidents that are not in the trash, in full.
    pub fn list(&self) -> Records<Incident> {
        Records::new(self.client.clone())
    }

    /// `GET /v1/Incidents/{id}`: an incident in full.
    ///
    /// # Errors
    /// See [`Error`](crate::Error); [`Error::is_not_found`](crate::Error::is_not_found) tells that there is none with this id
    /// outside the trash.
    pub async fn get(&self, id: i32) -> Result<Incident> {
        let call = call::GetIncident { id };
        bridge::finish(
            call::GetIncident::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `GET /v2/incidents`: the incidents as v2 tells them. Expands `area`, `group`, `followUpGroup`, `type`, `comments`.
    pub fn list_v2(&self) -> List<IncidentV2> {
        List::new(self.client.clone(), None)
    }

    /// `GET /v2/incidents/{incidentId}`. Expands `area`, `group`, `followUpGroup`, `type`, `comments`.
    pub fn get_v2(&self, id: i32) -> Get<IncidentV2> {
        Get::new(self.client.clone(), id)
    }

    /// `GET /v2/incidents/types`: the incident types as v2 tells them.
    pub fn types_v2(&self) -> List<IncidentTypeV2> {
        List::new(self.client.clone(), None)
    }

    /// `GET /v2/incidents/types/{incidentTypeId}`
    pub fn type_v2(&self, id: i32) -> Get<IncidentTypeV2> {
        Get::new(self.client.clone(), id)
    }

    /// `POST /v1/Incidents`: reports an incident. [`IncidentCreate::new`] takes what is required.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After [`Error::Connection`](crate::Error::Connection) or
    /// [`Error::Timeout`](crate::Error::Timeout) it may have been created all the same; under a
    /// [key](Client::idempotency_key) of the caller's it can be sent again without harm.
    pub async fn create(&self, incident: &IncidentCreate) -> Result<Incident> {
        let call = call::CreateIncident { body: incident };
        bridge::finish(
            call::CreateIncident::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `PUT /v1/Incidents/{id}`: replaces title, type, severity and date, changes what else `update` sets, clears what
    /// it sets to [`Patch::Null`](obeya_model::Patch::Null), and answers with the whole incident.
    ///
    /// The interface wants those four in every update. Taken from a record that was read some time ago, they
    /// undo what somebody else has changed since. So change one thing by its own operation, such as
    /// [`set_status`](Self::set_status), and for more read the record with its tag and write only if it still
    /// has it:
    ///
    /// ```no_run
    /// use obeya::model::{IncidentStatus, IncidentUpdate, Patch};
    ///
    /// # async fn example(client: obeya::Client) -> obeya::Result<()> {
    /// let found = client.tagged(|client| async move { client.incidents().get(1204).await }).await?;
    /// let incident = found.value;
    /// let update = IncidentUpdate {
    ///     status: Some(IncidentStatus::Resolved),
    ///     text: Patch::Value("Replaced.".to_owned()),
    ///     ..IncidentUpdate::new(incident.incident_type_id, incident.severity, incident.title, incident.incident_date)
    /// };
    /// let writer = match found.tag {
    ///     Some(tag) => client.if_match(tag),
    ///     // A service without tags: what others change in this moment is lost.
    ///     None => client.clone(),
    /// };
    /// match writer.incidents().update(1204, &update).await {
    ///     Err(error) if error.is_precondition_failed() => println!("changed by somebody else: read it again"),
    ///     outcome => println!("{:?}", outcome?.status),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn update(&self, id: i32, update: &IncidentUpdate) -> Result<Incident> {
        let call = call::UpdateIncident { id, body: update };
        bridge::finish(
            call::UpdateIncident::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `PUT /v1/Incidents/{id}/consequences`: replaces the consequences.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn set_consequences(
        &self,
        id: i32,
        consequences: &[ConsequenceInput],
    ) -> Result<Incident> {
        let body = consequences.to_vec();
        let call = call::UpdateIncidentConsequences { id, body: &body };
        bridge::finish(
            call::UpdateIncidentConsequences::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `PUT /v1/Incidents/{id}/causes`: replaces the causes.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn set_causes(&self, id: i32, causes: &[CauseInput]) -> Result<Incident> {
        let body = causes.to_vec();
        let call = call::UpdateIncidentCauses { id, body: &body };
        bridge::finish(
            call::UpdateIncidentCauses::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `PUT /v1/Incidents/{id}/externalId`: sets the id that another system knows the incident by; `None` clears it.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn set_external_id(
        &self,
        id: i32,
        external_id: impl Into<Option<&str>>,
    ) -> Result<Incident> {
        let body = external_id.into();
        let call = call::UpdateIncidentExternalId { id, body };
        bridge::finish(
            call::UpdateIncidentExternalId::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `PUT /v1/Incidents/{id}/status`: moves the incident to another status, where it may follow the present one.
    ///
    /// # Errors
    /// See [`Error`](crate::Error); the code is `incident.transition` where it may not.
    pub async fn set_status(&self, id: i32, status: IncidentStatus) -> Result<Incident> {
        let body = IncidentStatusUpdate { status };
        let call = call::UpdateIncidentStatus { id, body: &body };
        bridge::finish(
            call::UpdateIncidentStatus::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `PUT /v1/Incidents/{id}/severity`: says how grave the incident is.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn set_severity(&self, id: i32, severity: IncidentSeverity) -> Result<Incident> {
        let body = IncidentSeverityUpdate {
            severity: Some(severity),
        };
        let call = call::UpdateIncidentSeverity { id, body: &body };
        bridge::finish(
            call::UpdateIncidentSeverity::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `PUT /v1/Incidents/{id}/responsible`: sets the group that follows the incident up and the member of it who is
    /// responsible.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn set_responsible(
        &self,
        id: i32,
        follow_up_group_id: i32,
        responsible_user_id: impl Into<String>,
    ) -> Result<Incident> {
        let body = IncidentResponsibleUpdate {
            follow_up_group_id,
            responsible_user_id: responsible_user_id.into(),
        };
        let call = call::UpdateIncidentResponsible { id, body: &body };
        bridge::finish(
            call::UpdateIncidentResponsible::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `PUT /v1/Incidents/{id}/categories`: replaces the categories, of which there must be one at least.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn set_categories(&self, id: i32, categories: &[CategoryInput]) -> Result<Incident> {
        let body = categories.to_vec();
        let call = call::UpdateIncidentCategories { id, body: &body };
        bridge::finish(
            call::UpdateIncidentCategories::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `PUT /v1/Incidents/{id}/customfields/{customFieldId}`: sets the value of one custom field; the others stay.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn set_custom_field(
        &self,
        id: i32,
        custom_field_id: i32,
        value: impl Into<String>,
    ) -> Result<Incident> {
        let body = IncidentCustomFieldUpdate {
            value: value.into(),
        };
        let call = call::UpdateIncidentCustomField {
            id,
            custom_field_id,
            body: &body,
        };
        bridge::finish(
            call::UpdateIncidentCustomField::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `DELETE /v1/Incidents/{id}`: moves the incident to the trash, where it stays for 30 days.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). A call that was sent again may meet what its first try did: an incident that is in the
    /// trash already is not found.
    pub async fn delete(&self, id: i32) -> Result<()> {
        let call = call::DeleteIncident { id };
        bridge::finish(
            call::DeleteIncident::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `PUT /v1/Incidents/trash/{id}/restore`: takes the incident out of the trash, as it was when it was deleted.
    ///
    /// # Errors
    /// See [`Error`](crate::Error); not found when it is not in the trash, or no longer.
    pub async fn restore(&self, id: i32) -> Result<Incident> {
        let call = call::RestoreIncident { id };
        bridge::finish(
            call::RestoreIncident::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// `GET /v1/Incidents/types`: every type by itself.
    pub fn types(&self) -> Types {
        Types {
            client: self.client.clone(),
            language: None,
        }
    }

    /// `GET /v1/Incidents/types/{id}`: the categories, causes, consequences and custom fields of a type.
    pub fn type_detail(&self, id: i32) -> TypeDetail {
        TypeDetail {
            client: self.client.clone(),
            id,
            language: None,
        }
    }

    /// `GET /v1/Incidents/trash`: the incidents deleted in the last 30 days.
    pub fn trash(&self) -> Trash {
        Trash {
            client: self.client.clone(),
            filter: None,
        }
    }

    /// The comments on incidents; the same as [`Client::comments`].
    #[must_use]
    pub fn comments(&self) -> Comments {
        self.client.comments()
    }
}

/// A request for an incident type, made by [`Incidents::type_detail`].
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or awaited"]
pub struct TypeDetail {
    client: Client,
    id: i32,
    language: Option<String>,
}

impl TypeDetail {
    /// The language of the texts, for example `nb`; texts without a translation come in the default language.
    pub fn language(mut self, code: impl Into<String>) -> Self {
        self.language = Some(code.into());
        self
    }

    /// Fetches it.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn send(self) -> Result<IncidentTypeDetail> {
        let call = call::GetIncidentType {
            language: self.language.as_deref(),
            ..call::GetIncidentType::new(self.id)
        };
        bridge::finish(
            call::GetIncidentType::OPERATION,
            call.send(self.client.api()).await,
        )
    }
}

impl IntoFuture for TypeDetail {
    type Output = Result<IncidentTypeDetail>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// A request for the incident types, made by [`Incidents::types`].
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or awaited"]
pub struct Types {
    client: Client,
    language: Option<String>,
}

impl Types {
    /// The language of the texts, for example `nb`; texts without a translation come in the default language.
    pub fn language(mut self, code: impl Into<String>) -> Self {
        self.language = Some(code.into());
        self
    }

    /// Fetches them.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn send(self) -> Result<Vec<IncidentTypeSummary>> {
        let call = call::ListIncidentTypes {
            language: self.language.as_deref(),
        };
        bridge::finish(
            call::ListIncidentTypes::OPERATION,
            call.send(self.client.api()).await,
        )
    }
}

impl IntoFuture for Types {
    type Output = Result<Vec<IncidentTypeSummary>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// A request for the trash, made by [`Incidents::trash`].
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or awaited"]
pub struct Trash {
    client: Client,
    filter: Option<String>,
}

impl Trash {
    /// `$filter`: a condition made of [`fields::trashed_incident`](crate::fields::trashed_incident), or the text of an
    /// OData expression, for example `severity eq 'Low'`.
    pub fn filter(mut self, condition: impl Clause<Filter<TrashedIncident>>) -> Self {
        self.filter = condition.text();
        self
    }

    /// Fetches it.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn send(self) -> Result<TrashPage> {
        let call = call::ListTrashedIncidents {
            filter: self.filter.as_deref(),
        };
        bridge::finish(
            call::ListTrashedIncidents::OPERATION,
            call.send(self.client.api()).await,
        )
    }
}

impl IntoFuture for Trash {
    type Output = Result<TrashPage>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

odata_resource! {
    IncidentV2, IncidentV2PaginationResult,
    list: |_parent| (_) => ListIncidentsV2() at "/v2/incidents".to_owned();
    get: GetIncidentV2
}

odata_resource! {
    IncidentTypeV2, IncidentTypeV2PaginationResult,
    list: |_parent| (_) => ListIncidentTypesV2() at "/v2/incidents/types".to_owned();
    get: GetIncidentTypeV2
}
