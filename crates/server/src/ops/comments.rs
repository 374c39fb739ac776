//! Comments of incidents. The comments of an incident in the trash are not shown.

use obeya_odata::sql::{Predicate, Value};

use super::incidents::reads::parent;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::{List, PointQuery, RecordForm, Records};
use obeya_store::entities;

static COMMENT: PointQuery = PointQuery::new(&entities::INCIDENT_COMMENT, "comment");
static COMMENT_V1: RecordForm = RecordForm::of(&entities::INCIDENT_COMMENT_V1);

/// GET /v2/incidents/comments
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| {
        List::of(&entities::INCIDENT_COMMENT).prepare(request)
    })
    .await
}

/// GET /v2/incidents/comments/{incidentCommentId}
pub(crate) async fn get(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| COMMENT.prepare(request, id)).await
}

/// GET /v2/incidents/{incidentId}/comments: 404 if the incident is unknown or in the trash.
pub(crate) async fn list_of_incident(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let list = List::of(&entities::INCIDENT_COMMENT)
        .only(of_incident(id))
        .under(parent(id));
    reading::read(call, |request| list.prepare(request)).await
}

/// GET /v2/incidents/{incidentId}/comments/{incidentCommentId}: 404 as above, and for a comment on another
/// incident.
pub(crate) async fn get_of_incident(call: Call) -> Result<Response, Problem> {
    let (incident, id) = (call.id()?, call.id_at(1)?);
    reading::read(call, |request| {
        COMMENT.prepare_under(request, id, parent(incident), of_incident(incident))
    })
    .await
}

/// GET /v1/Incidents/{id}/comments: 404 as above.
pub(crate) async fn list_of_incident_v1(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| {
        Ok(Records::all(request, &COMMENT_V1, &[])?
            .only(of_incident(id))
            .under(parent(id)))
    })
    .await
}

fn of_incident(id: i32) -> Predicate {
    Predicate::new("{t}.incident_id = ?", [Value::Int(id.into())])
}
