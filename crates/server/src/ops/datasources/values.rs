//! GET /v1/Datasources/{id}/values: a page of a datasource's values.

use axum::response::Response;

use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::read::Page;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    Page::answer(call).await
}
