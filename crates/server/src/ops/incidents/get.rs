//! GET /v1/Incidents/{id}

use axum::response::Response;

use super::RECORD;
use crate::http::call::Call;
use crate::http::problem::Problem;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let incident = call
        .app
        .store
        .look_up(move |session| RECORD.read(session, id).map_err(Problem::from))
        .await?;
    let incident = incident.ok_or_else(|| Problem::not_found("incident", id))?;
    Ok(call.reply_record(incident))
}
