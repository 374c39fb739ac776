//! datasource values: values.

use axum::response::Response;

use crate::http::call::Call;
use crate::http::problem::Problem;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    Err(Problem::not_found("record", call.id()?))
}
