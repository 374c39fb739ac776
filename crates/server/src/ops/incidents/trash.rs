//! The trash: deleted incidents, which can be restored for 30 days.

use obeya_odata::OptionName;
use obeya_odata::edm::Column;
use obeya_odata::sql::{Direction, Predicate, Value};

use super::{answer, find_for_update, path};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::NoBody;
use crate::ops::reading;
use crate::ops::writing::{self, Decision, Written};
use obeya_read::List;
use obeya_store::audit::{Change, Diff};
use obeya_store::incidents::RETENTION_TICKS;
use obeya_store::wire::timestamp;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, StoreError, entities, incidents, stamp};

/// The most incidents that a list has. The operation has no parameter for a further page; a client narrows
/// the list by `$filter`.
const LIMIT: u32 = 10_000;

/// GET /v1/Incidents/trash: the incidents deleted during the last 30 days.
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    // Computed from the clock at each request, so that the time of the last purge does not matter.
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

/// DELETE /v1/Incidents/{id}: moves an incident with everything that belongs to it into the trash.
pub(crate) async fn delete(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, NoBody, |(), context| {
        let now = context.now;
        let work = move |session: &mut dyn Session| {
            let stored = find_for_update(session, id)?;
            let stamp = stamp::next(session, now, stored.last_modified)?;
            incidents::delete(session, id, now, stamp)?;
            Ok(deleted(id, None, Some(now))?)
        };
        Ok(Decision::empty(work).against(move |session| answer(session, id)))
    })
    .await
}

/// PUT /v1/Incidents/trash/{id}/restore: restores an incident from the trash, unchanged.
pub(crate) async fn restore(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, NoBody, |(), context| {
        let now = context.now;
        let work = move |session: &mut dyn Session| {
            incidents::prefetch_deleted(session, id, now)?;
            stamp::prefetch(session)?;
            let found = incidents::find_deleted(session, id, now)?;
            let found = found.ok_or(WriteError::Missing("deleted incident", id.into()))?;
            let stamp = stamp::next(session, now, found.last_modified)?;
            incidents::restore(session, id, stamp)?;
            let change = deleted(id, Some(found.deleted_date), None)?;
            Ok(Written::changed(change, move |session| answer(session, id)))
        };
        // No `against`: an incident in the trash has no tag, because no operation answers with it.
        Ok(Decision::record(answer, work))
    })
    .await
}

/// The change of the date of deletion, in ticks.
fn deleted(id: i32, before: Option<i64>, after: Option<i64>) -> Result<Change, StoreError> {
    let instant = |ticks: Option<i64>| ticks.map(timestamp).transpose();
    let (before, after) = (instant(before)?, instant(after)?);
    let diff = Diff::default().property("deletedDate", Some(&before), Some(&after));
    Ok(Change::of(path(id), diff))
}
