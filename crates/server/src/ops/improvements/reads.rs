//! Reading improvements.

use super::{FORM, RECORD};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::{List, PointQuery, Records};
use obeya_store::entities::IMPROVEMENT_V2;

static RECORD_V2: PointQuery = PointQuery::new(&IMPROVEMENT_V2, "improvement");

/// GET /v1/Improvements: one page of improvements.
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| {
        Records::page(request, &FORM)?
            .in_period(["LastModifiedFrom", "LastModifiedTo"], "last_modified")
    })
    .await
}

/// GET /v1/Improvements/{improvementId}
pub(crate) async fn get(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let improvement = call
        .look_up(move |session| RECORD.read(session, id))
        .await?;
    let improvement = improvement.ok_or_else(|| Problem::not_found("improvement", id))?;
    call.reply_whole_record(improvement)
}

/// GET /v2/improvements
pub(crate) async fn list_v2(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| List::of(&IMPROVEMENT_V2).prepare(request)).await
}

/// GET /v2/improvements/{improvementId}
pub(crate) async fn get_v2(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| RECORD_V2.prepare(request, id)).await
}
