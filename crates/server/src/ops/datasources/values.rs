//! GET /v1/Datasources/{id}/values: a page of a datasource's values.

use axum::response::Response;

use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::read::Page;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    Page::answer(call).await
}
