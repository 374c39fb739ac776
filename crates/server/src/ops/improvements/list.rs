//! GET /v1/Improvements: improvements, a page at a time.

use crate::entities;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use crate::read::{Form, Records};

static FORM: Form = Form::of(&entities::IMPROVEMENT);

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| {
        Ok(Records::page(request, &FORM)?
            .in_period(["LastModifiedFrom", "LastModifiedTo"], "last_modified")?
            .prepared())
    })
    .await
}
