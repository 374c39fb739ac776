//! PUT /v1/Incidents/{id}/categories

use axum::response::Response;
use obeya_model::CategoryInput;

use super::{answer, body, open};
use crate::domain::validate::Check;
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::ops::writing;
use crate::store::references::{Part, References};
use crate::store::{Session, incidents};

pub(crate) async fn handle(mut call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let categories = call.json::<Vec<CategoryInput>>().await?;
    let mut check = Check::default();
    body::some_category(&mut check, &categories);
    check.finish(Some(()))?;
    let now = call.now();
    let work = move |session: &mut dyn Session| {
        let (stored, stamp) = open(session, id, now)?;
        let ids: Vec<_> = categories.iter().map(|item| item.id).collect();
        let mut references = References::new(session);
        references.parts(
            Part::Category,
            stored.incident.incident_type_id,
            ids.iter().copied(),
            |index| format!("[{index}].id"),
        )?;
        references.finish()?;
        incidents::set_categories(session, id, &ids)?;
        incidents::touch(session, id, stamp)?;
        answer(session, id)
    };
    writing::of(&call)?
        .against(move |session| answer(session, id))
        .record(work)
        .await
}
