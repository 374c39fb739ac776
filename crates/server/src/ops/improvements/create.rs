//! POST /v1/Improvements

use obeya_model::ImprovementCreate;

use super::{answer, body, update};
use crate::domain::improvement::{Improvement, Links};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::never_null::NeverNull;
use crate::ops::view::Record;
use crate::ops::writing;
use crate::store::refusal::Refusal;
use crate::store::{Session, improvements, stamp};

pub(crate) async fn handle(mut call: Call) -> Result<Response, Problem> {
    let NeverNull(body) = call.json::<NeverNull<ImprovementCreate>>().await?;
    let writing = writing::of(&call)?.setting(&body)?;
    let now = call.now();
    let improvement = Improvement::created(body::of_create(body)?, now)?;
    writing
        .record(answer, move |session| create(session, &improvement, now))
        .await
}

fn create(
    session: &mut dyn Session,
    improvement: &Improvement,
    now: i64,
) -> Result<Record, Refusal> {
    stamp::prefetch(session)?;
    update::check(session, &Links::default(), &improvement.links)?;
    let stamp = stamp::next(session, now, 0)?;
    let id = improvements::insert(session, improvement, stamp)?;
    answer(session, id)
}
