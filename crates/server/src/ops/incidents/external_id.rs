//! PUT /v1/Incidents/{id}/externalId: the body is a bare JSON string, or null.

use axum::response::Response;

use super::{answer, open};
use crate::domain::validate::{Check, EXTERNAL_ID_MAX};
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::store::incidents;
use crate::store::refusal::Refusal;

pub(crate) async fn handle(mut call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let external_id = call.json::<Option<String>>().await?;
    let mut check = Check::default();
    check.at_most(
        "externalId",
        external_id.as_deref().unwrap_or_default(),
        EXTERNAL_ID_MAX,
    );
    check.finish(Some(()))?;
    let now = call.now();
    let incident = call.app.store.write(move |session| {
        let (_, stamp) = open(session, id, now)?;
        incidents::set_external_id(session, id, external_id.as_deref(), stamp)?;
        answer(session, id)
    });
    let incident = incident
        .await
        .map_err(|refusal: Refusal| Problem::from(refusal))?;
    call.reply_json(&incident)
}
