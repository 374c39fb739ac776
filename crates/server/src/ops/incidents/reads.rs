//! Reading incidents that are not in the trash.

use obeya_odata::sql::Predicate;

use super::{FORM, NOT_DELETED, RECORD};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::{List, Parent, PointQuery, Records};
use obeya_store::entities;

static INCIDENT_V2: PointQuery = PointQuery::new(&entities::INCIDENT_V2, "incident");

/// GET /v1/Incidents: one page of incidents.
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| {
        Records::page(request, &FORM)?
            .only(Predicate::new(NOT_DELETED, []))
            .with_id("TypeId", "incident_type_id")?
            .in_period_of_days(["IncidentDateFrom", "IncidentDateTo"], "incident_date")?
            .in_period(["LastModifiedFrom", "LastModifiedTo"], "last_modified")
    })
    .await
}

/// GET /v1/Incidents/{id}
pub(crate) async fn get(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let incident = call
        .look_up(move |session| RECORD.read(session, id))
        .await?;
    let incident = incident.ok_or_else(|| Problem::not_found("incident", id))?;
    call.reply_whole_record(incident)
}

/// The incident that must exist, and not be in the trash, for what belongs to it to be read.
pub(in crate::ops) fn parent(id: i32) -> Parent {
    Parent {
        noun: "incident",
        exists: "SELECT 1 FROM incidents WHERE id = ?1 AND deleted_date IS NULL".into(),
        id: id.into(),
        source: None,
    }
}

/// GET /v2/incidents
pub(crate) async fn list_v2(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| {
        List::of(&entities::INCIDENT_V2).prepare(request)
    })
    .await
}

/// GET /v2/incidents/{incidentId}
pub(crate) async fn get_v2(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| INCIDENT_V2.prepare(request, id)).await
}
