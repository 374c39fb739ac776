//! GET /v2/incidents: the incidents that are not in the trash.

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::List;
use obeya_store::entities;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| {
        List::of(&entities::INCIDENT_V2).prepare(request)
    })
    .await
}
