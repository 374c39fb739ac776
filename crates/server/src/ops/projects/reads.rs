//! Reading projects.

use super::FORM;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::Records;

/// GET /v1/Projects
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| Records::filtered(request, &FORM)).await
}
