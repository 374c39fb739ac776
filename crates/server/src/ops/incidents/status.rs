//! PUT /v1/Incidents/{id}/status

use obeya_model::IncidentStatusUpdate;

use super::{answer, update};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::writing::{self, Decision};
use obeya_rules::validate::Check;
use obeya_store::Session;
use obeya_store::tables::incidents::IncidentChange;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, json::<IncidentStatusUpdate>(), |body, deciding| {
        deciding.sets(&body)?;
        let mut check = Check::default();
        let status = check.variant("status", body.status.as_str());
        let status = check.finish(status)?;
        let now = deciding.now;
        let work = move |session: &mut dyn Session| {
            let change = IncidentChange {
                status: Some(status),
                ..IncidentChange::default()
            };
            update::change(session, id, now, change)
        };
        Ok(Decision::record(answer, work).against(move |session| answer(session, id)))
    })
    .await
}
