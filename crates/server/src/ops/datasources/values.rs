//! GET /v1/Datasources/{id}/values: a page of a datasource's values.

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::ValuePage;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| ValuePage::prepare(request, id)).await
}
