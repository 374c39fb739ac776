//! Areas.

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::{List, PointQuery};
use obeya_store::entities;

static AREA: PointQuery = PointQuery::new(&entities::AREA, "area");

/// GET /v2/areas
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| List::of(&entities::AREA).prepare(request)).await
}

/// GET /v2/areas/{id}
pub(crate) async fn get(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| AREA.prepare(request, id)).await
}
