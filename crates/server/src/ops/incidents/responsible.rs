//! PUT /v1/Incidents/{id}/responsible: the follow-up group, and who in it is responsible.

use obeya_model::IncidentResponsibleUpdate;

use super::{answer, update};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::writing::{self, Decision};
use obeya_rules::validate::Check;
use obeya_store::Session;
use obeya_store::tables::incidents::{IncidentChange, IncidentFields};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(
        call,
        json::<IncidentResponsibleUpdate>(),
        |body, deciding| {
            deciding.sets(&body)?;
            let mut check = Check::default();
            check.not_empty("responsibleUserId", &body.responsible_user_id);
            check.finish(Some(()))?;
            let now = deciding.now;
            let work = move |session: &mut dyn Session| {
                let fields = IncidentFields {
                    follow_up_group_id: Some(Some(body.follow_up_group_id)),
                    responsible_user_id: Some(Some(body.responsible_user_id.clone())),
                    ..IncidentFields::default()
                };
                let change = IncidentChange {
                    fields,
                    ..IncidentChange::default()
                };
                update::change(session, id, now, change)
            };
            Ok(Decision::record(answer, work).against(move |session| answer(session, id)))
        },
    )
    .await
}
