//! GET /v1/Improvements: improvements, a page at a time.

use axum::response::Response;

use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::read::Records;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    Records::page(&call, &super::FORM)?
        .in_period(["LastModifiedFrom", "LastModifiedTo"], "last_modified")?
        .respond(call)
        .await
}
