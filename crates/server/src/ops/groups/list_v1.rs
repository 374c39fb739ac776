//! GET /v1/Groups

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::{Form, Records};
use obeya_store::entities;

static FORM: Form = Form::of(&entities::GROUP);

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| Records::all(request, &FORM, &[])).await
}
