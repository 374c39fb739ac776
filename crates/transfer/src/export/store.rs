//! `store.jsonl`: the last stamp and ids that were issued, so that none is issued twice.

use obeya_model::Timestamp;

use super::error::ExportError;
use super::folder::JsonlWriter;
use crate::jsonl::store::StoreLine;
use obeya_store::engine::{Session, StoreError};
use obeya_store::values::last_id;
use obeya_store::{sequences, stamp};

/// Writes `store.jsonl`.
pub(super) fn write(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    let mut line = StoreLine {
        last_stamp: last_stamp(session)?,
        last_incident_id: given(sequences::last(session, "incidents")?),
        last_improvement_id: given(sequences::last(session, "improvements")?),
        last_task_id: given(sequences::last(session, "tasks")?),
        last_task_comment_id: given(sequences::last(session, "task_comments")?),
        last_attachment_id: given(sequences::last(session, "attachments")?),
        last_value_id: given(last_id(session)?),
        ..StoreLine::default()
    };
    // Without a counter the records themselves have the highest id.
    for (table, _, last) in line.counted() {
        *last = sequences::counted(session, table)?.and_then(given);
    }
    out.write("store", &line)
}

/// The latest stamp that was issued.
pub(super) fn last_stamp(session: &mut dyn Session) -> Result<Option<Timestamp>, StoreError> {
    Ok(stamp::last(session)?.and_then(Timestamp::from_ticks))
}

/// The last id that was issued, if any.
fn given(last: i64) -> Option<i32> {
    i32::try_from(last).ok().filter(|last| *last > 0)
}
