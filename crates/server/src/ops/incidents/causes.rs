//! PUT /v1/Incidents/{id}/causes

use obeya_model::CauseInput;

use super::parts::{self, Kind};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::writing;
use obeya_store::incidents;
use obeya_store::references::Part;

const KIND: Kind<i32> = Kind {
    part: Part::Cause,
    property: "causes",
    stored: &incidents::CAUSES,
    id_of: |id| *id,
    set: incidents::set_causes,
};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, json::<Vec<CauseInput>>(), |causes, deciding| {
        parts::replace(deciding, id, &KIND, &causes, |item| item.id)
    })
    .await
}
