//! PUT /v1/Incidents/{id}/consequences

use obeya_model::ConsequenceInput;

use super::parts::{self, Kind};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::writing;
use obeya_store::incidents;
use obeya_store::references::Part;

const KIND: Kind<(i32, Option<f64>)> = Kind {
    part: Part::Consequence,
    property: "consequences",
    stored: &incidents::CONSEQUENCES,
    id_of: |(id, _)| *id,
    set: incidents::set_consequences,
};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(
        call,
        json::<Vec<ConsequenceInput>>(),
        |consequences, deciding| {
            parts::replace(deciding, id, &KIND, &consequences, |item| {
                (item.id, item.amount)
            })
        },
    )
    .await
}
