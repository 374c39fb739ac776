//! PUT /v1/Incidents/{id}/causes

use obeya_model::CauseInput;

use super::parts::{self, Kind};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::store::incidents;
use crate::store::references::Part;

const KIND: Kind<i32> = Kind {
    part: Part::Cause,
    property: "causes",
    stored: &incidents::CAUSES,
    id_of: |id| *id,
    set: incidents::set_causes,
};

pub(crate) async fn handle(mut call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let causes = call.json::<Vec<CauseInput>>().await?;
    parts::replace(&call, id, &KIND, &causes, |item| item.id).await
}
