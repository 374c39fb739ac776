//! Incidents: create and update, their types, and the trash.

use std::future::IntoFuture;

use bytes::Bytes;
use futures_core::future::BoxFuture;
use obeya_api::call;
use obeya_model::{
    IncidentAttachment, IncidentCustomFieldUpdate, IncidentResponsibleUpdate, IncidentSeverity,
    IncidentSeverityUpdate, IncidentStatus, IncidentStatusUpdate, IncidentTypeDetail,
    IncidentTypeSummary, IncidentV1, TrashPage, TrashedIncident,
};
use obeya_odata::OptionName;
use obeya_odata::build::{Clause, Filter};

use super::{Comments, Incidents};
use crate::Client;
use crate::edit::{Edit, EditTarget};
use crate::error::Result;
use crate::records::Records;
use crate::words::WordCheck;

impl Incidents {
    /// `GET /v1/Incidents`: the incidents that are not in the trash, in full.
    pub fn list(&self) -> Records<IncidentV1> {
        Records::new(self.client.clone())
    }

    /// Changes some properties of an incident, by its id or as it was read: `edit(&incident).title("…")`.
    pub fn edit(&self, incident: impl Into<EditTarget<IncidentV1>>) -> Edit<IncidentV1> {
        Edit::new(self.client.clone(), 0, incident)
    }

    /// `POST /v2/incidents/{incidentId}/attachments`: attaches a file to an incident. The extension of its
    /// name says its type; `name` is `crack.png`, for example.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn add_attachment(
        &self,
        id: i32,
        name: &str,
        content: &[u8],
    ) -> Result<IncidentAttachment> {
        let file = call::Upload { name, content };
        let call = call::CreateIncidentAttachment {
            incident_id: id,
            file,
        };
        self.client.call(&call).await
    }

    /// `GET /v2/incidents/{incidentId}/attachments/{incidentAttachmentId}/content`: the content of an
    /// attachment of an incident.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn attachment_content(&self, id: i32, attachment: i32) -> Result<Bytes> {
        let call = call::GetIncidentAttachmentContent::new(id, attachment);
        self.client.call(&call).await
    }

    /// `PUT /v1/Incidents/{id}/externalId`: sets the incident's id in another system; `None` clears it.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn set_external_id<'a>(
        &self,
        id: i32,
        external_id: impl Into<Option<&'a str>>,
    ) -> Result<IncidentV1> {
        let body = external_id.into();
        let call = call::UpdateIncidentExternalId { id, body };
        self.client.call(&call).await
    }

    /// `PUT /v1/Incidents/{id}/status`: changes the status, if the transition is allowed.
    ///
    /// # Errors
    /// See [`Error`](crate::Error); the code is `incident.transition` if the transition is not allowed.
    pub async fn set_status(&self, id: i32, status: IncidentStatus) -> Result<IncidentV1> {
        let body = IncidentStatusUpdate { status };
        let call = call::UpdateIncidentStatus { id, body: &body };
        self.client.call(&call).await
    }

    /// `PUT /v1/Incidents/{id}/severity`: sets the severity.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn set_severity(&self, id: i32, severity: IncidentSeverity) -> Result<IncidentV1> {
        let body = IncidentSeverityUpdate {
            severity: Some(severity),
        };
        let call = call::UpdateIncidentSeverity { id, body: &body };
        self.client.call(&call).await
    }

    /// `PUT /v1/Incidents/{id}/responsible`: sets the group that follows up the incident, and its responsible
    /// member.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn set_responsible(
        &self,
        id: i32,
        follow_up_group_id: i32,
        responsible_user_id: impl Into<String>,
    ) -> Result<IncidentV1> {
        let body = IncidentResponsibleUpdate {
            follow_up_group_id,
            responsible_user_id: responsible_user_id.into(),
        };
        let call = call::UpdateIncidentResponsible { id, body: &body };
        self.client.call(&call).await
    }

    /// `PUT /v1/Incidents/{id}/customfields/{customFieldId}`: sets the value of one custom field; the others
    /// are unchanged.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn set_custom_field(
        &self,
        id: i32,
        custom_field_id: i32,
        value: impl Into<String>,
    ) -> Result<IncidentV1> {
        let body = IncidentCustomFieldUpdate {
            value: value.into(),
        };
        let call = call::UpdateIncidentCustomField {
            id,
            custom_field_id,
            body: &body,
        };
        self.client.call(&call).await
    }

    /// `GET /v1/Incidents/types`: all types, without their details.
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
            words: WordCheck::default(),
        }
    }

    /// The comments on incidents; same as [`Client::comments`].
    #[must_use]
    pub fn comments(&self) -> Comments {
        self.client.comments()
    }
}

/// A request for an incident type; created by [`Incidents::type_detail`].
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
        let call = call::GetIncidentTypeV1 {
            language: self.language.as_deref(),
            ..call::GetIncidentTypeV1::new(self.id)
        };
        self.client.call(&call).await
    }
}

impl IntoFuture for TypeDetail {
    type Output = Result<IncidentTypeDetail>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// A request for the incident types; created by [`Incidents::types`].
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

    /// Sends the request.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn send(self) -> Result<Vec<IncidentTypeSummary>> {
        let call = call::ListIncidentTypesV1 {
            language: self.language.as_deref(),
        };
        self.client.call(&call).await
    }
}

impl IntoFuture for Types {
    type Output = Result<Vec<IncidentTypeSummary>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// A request for the trash; created by [`Incidents::trash`].
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or awaited"]
pub struct Trash {
    client: Client,
    filter: Option<String>,
    words: WordCheck,
}

impl Trash {
    /// `$filter`: a condition made of [`fields::trashed_incident`](crate::fields::trashed_incident), or the
    /// text of an OData expression, for example `severity eq 'Low'`.
    pub fn filter(mut self, condition: impl Clause<Filter<TrashedIncident>>) -> Self {
        self.filter = self
            .words
            .text::<TrashedIncident, _>(OptionName::Filter, condition);
        self
    }

    /// Fetches it.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn send(self) -> Result<TrashPage> {
        self.words
            .finish(call::ListTrashedIncidents::OPERATION.id())?;
        let call = call::ListTrashedIncidents {
            filter: self.filter.as_deref(),
        };
        self.client.call(&call).await
    }
}

impl IntoFuture for Trash {
    type Output = Result<TrashPage>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
