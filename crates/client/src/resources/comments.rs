//! Comments on incidents.

use obeya_model::{IncidentComment, IncidentCommentPaginationResult, IncidentCommentV1};

use crate::bridge;
use crate::error::Result;
use crate::list::{Get, List};

resource! {
    /// Comments on incidents; from [`Client::comments`](crate::Client::comments).
    Comments
}

impl Comments {
    /// `GET /v2/incidents/comments`: the comments of all incidents. Expands `parent`, `incident`.
    pub fn list(&self) -> List<IncidentComment> {
        List::new(self.client.clone(), None)
    }

    /// `GET /v2/incidents/{incidentId}/comments`: the comments of one incident. Expands `parent`, `incident`.
    pub fn of_incident(&self, incident_id: i32) -> List<IncidentComment> {
        List::new(self.client.clone(), Some(incident_id))
    }

    /// `GET /v1/Incidents/{id}/comments`: every comment of one incident in one answer.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn of_incident_v1(&self, incident_id: i32) -> Result<Vec<IncidentCommentV1>> {
        let call = obeya_api::call::ListCommentsOfIncidentV1 { id: incident_id };
        bridge::finish(
            obeya_api::call::ListCommentsOfIncidentV1::OPERATION,
            call.send(self.client.api()).await,
        )
    }

    /// Whether every change of a comment gives its incident a later `lastModified`, so that whoever keeps a copy of all need read no comments but those
    /// on incidents that changed.
    ///
    /// The issuer of tokens says so of its service (`incident_stamps_cover_comments` in its discovery document, as `obeya serve` has it). `false` if it does
    /// not, and without client credentials: then nothing is known, and only the comments themselves tell.
    ///
    /// # Errors
    /// [`Error::Auth`](crate::Error::Auth) when the issuer refuses.
    pub async fn stamp_incidents(&self) -> Result<bool> {
        self.client.transport().stamps_cover_comments().await
    }

    /// `GET /v2/incidents/comments/{incidentCommentId}`. Expands `parent`, `incident`.
    pub fn get(&self, id: i32) -> Get<IncidentComment> {
        Get::new(self.client.clone(), id)
    }
}

odata_resource! {
    IncidentComment, IncidentCommentPaginationResult,
    list: |parent|
        (None) => ListIncidentComments() at "/v2/incidents/comments".to_owned(),
        (Some(incident)) => ListCommentsOfIncident(incident) at format!("/v2/incidents/{incident}/comments");
    get: GetIncidentComment
}
