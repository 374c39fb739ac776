//! POST /v1/Improvements

use obeya_model::ImprovementCreate;

use super::{answer, body, update};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::never_null::NeverNull;
use crate::ops::view::Record;
use crate::ops::writing::{self, Decision};
use obeya_store::tables::improvements::ImprovementRow;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, improvements, stamp};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    writing::write(
        call,
        json::<NeverNull<ImprovementCreate>>(),
        |NeverNull(body), deciding| {
            deciding.sets(&body)?;
            let now = deciding.now;
            let improvement = ImprovementRow::created(body::of_create(body)?, now)?;
            Ok(Decision::record(answer, move |session| {
                create(session, improvement.clone(), now)
            }))
        },
    )
    .await
}

fn create(
    session: &mut dyn Session,
    mut improvement: ImprovementRow,
    now: i64,
) -> Result<Record, WriteError> {
    stamp::prefetch(session)?;
    update::check(session, &ImprovementRow::default(), &improvement)?;
    improvement.last_modified = stamp::next(session, now, 0)?;
    let id = improvements::insert(session, &improvement)?;
    answer(session, id)
}
