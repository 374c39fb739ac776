//! PUT /v1/Incidents/{id}/causes

use axum::response::Response;
use obeya_model::CauseInput;

use super::parts;
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::store::incidents;
use crate::store::references::Part;

pub(crate) async fn handle(mut call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let causes = call.json::<Vec<CauseInput>>().await?;
    let id_of = |item: &CauseInput| item.id;
    parts::replace(
        &call,
        id,
        Part::Cause,
        causes,
        id_of,
        |session, id, items| {
            let causes: Vec<_> = items.iter().map(|item| item.id).collect();
            incidents::set_causes(session, id, &causes)
        },
    )
    .await
}
