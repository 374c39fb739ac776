//! PUT /v1/Incidents/{id}/consequences

use axum::response::Response;
use obeya_model::ConsequenceInput;

use super::parts;
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::store::incidents;
use crate::store::references::Part;

pub(crate) async fn handle(mut call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let consequences = call.json::<Vec<ConsequenceInput>>().await?;
    let id_of = |item: &ConsequenceInput| item.id;
    parts::replace(
        &call,
        id,
        Part::Consequence,
        consequences,
        id_of,
        |session, id, items| {
            let consequences: Vec<_> = items.iter().map(|item| (item.id, item.amount)).collect();
            incidents::set_consequences(session, id, &consequences)
        },
    )
    .await
}
