//! GET /v1/Datasources/{id}

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use obeya_store::datasources;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let datasource = call
        .app
        .store
        .look_up(move |session| datasources::detail(session, id).map_err(Problem::from))
        .await?;
    let datasource = datasource.ok_or_else(|| Problem::not_found("datasource", id))?;
    call.reply_json_record(&datasource)
}
