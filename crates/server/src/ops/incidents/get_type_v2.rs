//! GET /v2/incidents/types/{incidentTypeId}: one incident type, without what its incidents may have.

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::Point;
use obeya_store::entities;

static RECORDS: Point = Point::new(&entities::INCIDENT_TYPE_V2, "incident type");

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| RECORDS.prepare(request, id)).await
}
