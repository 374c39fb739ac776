//! POST /v1/Improvements

use axum::response::Response;
use obeya_model::ImprovementCreate;

use super::{answer, body, update};
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::ops::never_null::NeverNull;
use crate::ops::view::Record;
use crate::ops::writing;
use crate::store::refusal::Refusal;
use crate::store::tables::improvements::ImprovementRow;
use crate::store::{Session, improvements, stamp};

pub(crate) async fn handle(mut call: Call) -> Result<Response, Problem> {
    let NeverNull(body) = call.json::<NeverNull<ImprovementCreate>>().await?;
    let writing = writing::of(&call)?.setting(&body)?;
    let now = call.now();
    let improvement = ImprovementRow::created(body::of_create(body)?, now)?;
    writing
        .record(answer, move |session| {
            create(session, improvement.clone(), now)
        })
        .await
}

fn create(
    session: &mut dyn Session,
    mut improvement: ImprovementRow,
    now: i64,
) -> Result<Record, Refusal> {
    stamp::announce(session)?;
    update::check(session, &ImprovementRow::default(), &improvement)?;
    improvement.last_modified = stamp::next(session, now, 0)?;
    let id = improvements::insert(session, &improvement)?;
    answer(session, id)
}
