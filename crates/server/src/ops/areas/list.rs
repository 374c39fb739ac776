//! GET /v2/areas: the list of areas.

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::List;
use obeya_store::entities;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| List::of(&entities::AREA).prepare(request)).await
}
