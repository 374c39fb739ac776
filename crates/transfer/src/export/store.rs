//! `store.jsonl`: what was given out, so that nobody gives it again to something else.

use obeya_model::Timestamp;

use super::error::ExportError;
use super::folder::Lines;
use crate::jsonl::store::StoreLine;
use obeya_store::engine::{Session, StoreError};
use obeya_store::values::last_id;
use obeya_store::{sequences, stamp};

/// Writes `store.jsonl`.
pub(super) fn write(session: &mut dyn Session, out: &mut Lines<'_>) -> Result<(), ExportError> {
    let line = StoreLine {
        last_stamp: last_stamp(session)?,
        last_incident_id: given(sequences::last(session, "incidents")?),
        last_improvement_id: given(sequences::last(session, "improvements")?),
        last_value_id: given(last_id(session)?),
    };
    out.put("store", &line)
}

/// The latest stamp that was given.
pub(super) fn last_stamp(session: &mut dyn Session) -> Result<Option<Timestamp>, StoreError> {
    Ok(stamp::last(session)?.and_then(Timestamp::from_ticks))
}

/// The last id given, if one was.
fn given(last: i64) -> Option<i32> {
    i32::try_from(last).ok().filter(|last| *last > 0)
}
