//! GET /v1/Incidents/{id}

use super::RECORD;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;

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
