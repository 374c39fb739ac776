//! PUT /v1/Incidents/{id}/consequences

use axum::response::Response;
use obeya_model::ConsequenceInput;

use super::{answer, open};
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::ops::writing;
use crate::store::references::{Part, References};
use crate::store::{Session, incidents};

pub(crate) async fn handle(mut call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let body = call.json::<Vec<ConsequenceInput>>().await?;
    let now = call.now();
    let work = move |session: &mut dyn Session| {
        let (stored, stamp) = open(session, id, now)?;
        let mut references = References::new(session);
        let ids = body.iter().map(|item| item.id);
        references.parts(
            Part::Consequence,
            stored.incident.incident_type_id,
            ids,
            |index| format!("[{index}].id"),
        )?;
        references.finish()?;
        let consequences: Vec<_> = body.iter().map(|item| (item.id, item.amount)).collect();
        incidents::set_consequences(session, id, &consequences)?;
        incidents::touch(session, id, stamp)?;
        answer(session, id)
    };
    writing::of(&call)?
        .against(move |session| answer(session, id))
        .record(work)
        .await
}
