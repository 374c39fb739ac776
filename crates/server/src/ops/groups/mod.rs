//! Groups.

pub(crate) mod members;
pub(crate) mod writes;

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::{List, PointQuery, RecordForm, Records};
use obeya_store::entities;

static GROUP: PointQuery = PointQuery::new(&entities::GROUP, "group");
const FORM: RecordForm = RecordForm::of(&entities::GROUP_V1);
static GROUP_V1: RecordForm = FORM;

/// GET /v2/groups
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| List::of(&entities::GROUP).prepare(request)).await
}

/// GET /v2/groups/{id}
pub(crate) async fn get(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| GROUP.prepare(request, id)).await
}

/// GET /v1/Groups
pub(crate) async fn list_v1(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| Records::filtered(request, &GROUP_V1)).await
}
