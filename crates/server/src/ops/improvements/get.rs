//! GET /v1/Improvements/{improvementId}

use super::RECORD;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let improvement = call
        .app
        .store
        .look_up(move |session| RECORD.read(session, id).map_err(Problem::from))
        .await?;
    let improvement = improvement.ok_or_else(|| Problem::not_found("improvement", id))?;
    Ok(call.reply_record(improvement))
}
