//! GET /v2/incidents/types: the list of incident types.

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::List;
use obeya_store::entities;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| {
        List::of(&entities::INCIDENT_TYPE_V2).prepare(request)
    })
    .await
}
