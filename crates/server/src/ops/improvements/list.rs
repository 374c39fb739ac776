//! GET /v1/Improvements: improvements, a page at a time.

use axum::response::Response;

use crate::entities;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::read::{Form, Records};

static FORM: Form = Form::of(&entities::IMPROVEMENT);

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    Records::page(&call, &FORM)?
        .in_period(["LastModifiedFrom", "LastModifiedTo"], "last_modified")?
        .respond(call)
        .await
}
