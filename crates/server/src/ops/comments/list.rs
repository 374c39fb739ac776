//! GET /v2/incidents/comments: the comments of every incident that is not in the trash.

use axum::response::Response;

use crate::entities;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::read::List;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    List::answer(call, &entities::INCIDENT_COMMENT).await
}
