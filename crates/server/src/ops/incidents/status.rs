//! PUT /v1/Incidents/{id}/status

use obeya_model::IncidentStatusUpdate;

use super::{answer, update};
use crate::domain::incident::IncidentChange;
use crate::domain::validate::Check;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::writing;
use crate::store::Session;

pub(crate) async fn handle(mut call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let body = call.json::<IncidentStatusUpdate>().await?;
    let writing = writing::of(&call)?.setting(&body)?;
    let mut check = Check::default();
    let status = check.word("status", body.status.as_str());
    let status = check.finish(status)?;
    let now = call.now();
    let work = move |session: &mut dyn Session| {
        update::change(session, id, now, |incident| IncidentChange {
            status: Some(status),
            ..IncidentChange::nothing(incident)
        })
    };
    writing
        .against(move |session| answer(session, id))
        .record(answer, work)
        .await
}
