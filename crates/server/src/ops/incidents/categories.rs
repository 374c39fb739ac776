//! PUT /v1/Incidents/{id}/categories

use axum::response::Response;
use obeya_model::CategoryInput;

use super::{body, parts};
use crate::domain::validate::Check;
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::store::incidents;
use crate::store::references::Part;

pub(crate) async fn handle(mut call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let categories = call.json::<Vec<CategoryInput>>().await?;
    let mut check = Check::default();
    body::some_category(&mut check, &categories);
    check.finish(Some(()))?;
    let id_of = |item: &CategoryInput| item.id;
    parts::replace(
        &call,
        id,
        Part::Category,
        categories,
        id_of,
        |session, id, items| {
            let categories: Vec<_> = items.iter().map(|item| item.id).collect();
            incidents::set_categories(session, id, &categories)
        },
    )
    .await
}
