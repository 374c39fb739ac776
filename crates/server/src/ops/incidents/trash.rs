//! GET /v1/Incidents/trash: the incidents deleted during the last 30 days.

use obeya_odata::OptionName;
use obeya_odata::edm::Column;
use obeya_odata::sql::{Direction, Predicate, Value};

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::List;
use obeya_store::entities;
use obeya_store::incidents::RETENTION_TICKS;

/// Incidents listed at most: the operation has no parameter to ask for a further page. A client narrows by
/// `$filter`.
const LIMIT: u32 = 10_000;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    // Decided by the clock at each request: whether the purge has run yet does not matter.
    let since = call.now() - RETENTION_TICKS;
    let deleted_lately = Predicate::new("{t}.deleted_date > ?", [Value::Int(since)]);
    let trash = List::of(&entities::TRASHED_INCIDENT)
        .only(deleted_lately)
        .ordered(Column::Name("deleted_date"), Direction::Descending);
    reading::read(call, |request| {
        trash.prepare_trash(request, &[OptionName::Filter], LIMIT)
    })
    .await
}
