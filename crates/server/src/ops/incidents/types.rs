//! GET /v1/Incidents/types

use super::type_detail::language;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use obeya_store::types;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let language = language(call.query())?;
    let types = call
        .app
        .store
        .read_inline(move |session| {
            types::list(session, language.as_deref()).map_err(Problem::from)
        })
        .await?;
    call.reply_json(&types)
}
