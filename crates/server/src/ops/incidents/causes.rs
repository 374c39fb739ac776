//! PUT /v1/Incidents/{id}/causes

use axum::response::Response;
use obeya_model::CauseInput;

use super::{answer, open};
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::store::incidents;
use crate::store::references::{Part, References};
use crate::store::refusal::Refusal;

pub(crate) async fn handle(mut call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let body = call.json::<Vec<CauseInput>>().await?;
    let now = call.now();
    let incident = call.app.store.write(move |session| {
        let (stored, stamp) = open(session, id, now)?;
        let causes: Vec<_> = body.iter().map(|item| item.id).collect();
        let mut references = References::new(session);
        references.parts(
            Part::Cause,
            stored.incident.incident_type_id,
            causes.iter().copied(),
            |index| format!("[{index}].id"),
        )?;
        references.finish()?;
        incidents::set_causes(session, id, &causes)?;
        incidents::touch(session, id, stamp)?;
        answer(session, id)
    });
    let incident = incident
        .await
        .map_err(|refusal: Refusal| Problem::from(refusal))?;
    call.reply_json(&incident)
}
