//! PUT /v1/Incidents/{id}/severity

use obeya_model::IncidentSeverityUpdate;

use super::{answer, update};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::never_null::{NeverNull, Properties};
use crate::ops::writing::{self, Decision};
use obeya_rules::validate::Check;
use obeya_store::Session;
use obeya_store::tables::incidents::IncidentChange;

impl Properties for IncidentSeverityUpdate {
    const NEVER_NULL: &'static [&'static str] = &["severity"];
}

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(
        call,
        json::<NeverNull<IncidentSeverityUpdate>>(),
        |NeverNull(body), deciding| {
            deciding.sets(&body)?;
            let mut check = Check::default();
            let severity = body.severity.as_ref();
            let severity = severity.map(|word| check.variant("severity", word.as_str()));
            // A word that was refused ends it here.
            let severity = check.finish(Some(severity.flatten()))?;
            let now = deciding.now;
            let work = move |session: &mut dyn Session| {
                let change = IncidentChange {
                    severity,
                    ..IncidentChange::default()
                };
                update::change(session, id, now, change)
            };
            Ok(Decision::record(answer, work).against(move |session| answer(session, id)))
        },
    )
    .await
}
