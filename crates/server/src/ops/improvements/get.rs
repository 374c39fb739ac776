//! GET /v1/Improvements/{improvementId}

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::store::improvements;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let improvement = call
        .app
        .store
        .look_up(move |session| improvements::record(session, id).map_err(Problem::from))
        .await?;
    let improvement = improvement.ok_or_else(|| Problem::not_found("improvement", id))?;
    call.reply_json_record(&improvement)
}
