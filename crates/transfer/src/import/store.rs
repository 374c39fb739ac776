//! `store.jsonl`: the last ids and stamp that another store issued, so that this one does not issue them
//! again.

use super::error::ImportError;
use super::folder::Source;
use super::run::{Run, leaves_ids};
use crate::jsonl::store::StoreLine;
use obeya_store::{sequences, values};

/// Reads `store.jsonl`.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    run.each(source, |run, location, mut line: StoreLine| {
        if run.report.read > 0 {
            return Err(location.line_error("another line", "one line, as there is one store"));
        }
        run.report.read = 1;
        run.report.inserted = 1;
        if let Some(stamp) = line.last_stamp {
            run.stamps.observe(location, "lastStamp", stamp)?;
        }
        for (field, id, records) in [
            ("lastIncidentId", line.last_incident_id, "incidents"),
            (
                "lastImprovementId",
                line.last_improvement_id,
                "improvements",
            ),
            ("lastTaskId", line.last_task_id, "tasks"),
            (
                "lastTaskCommentId",
                line.last_task_comment_id,
                "task comments",
            ),
            ("lastAttachmentId", line.last_attachment_id, "attachments"),
            ("lastValueId", line.last_value_id, "values"),
        ] {
            leaves_ids(location, field, id.unwrap_or_default(), records)?;
        }
        for (table, field, id) in line.counted() {
            leaves_ids(location, field, id.unwrap_or_default(), table)?;
        }
        run.collected.given = line;
        Ok(())
    })
}

/// Advances the sequences of ids. Call it last: on PostgreSQL a rollback does not undo it.
pub(super) fn advance_sequences(run: &mut Run<'_>) -> Result<(), ImportError> {
    let given = &mut run.collected.given;
    for (table, last) in [
        ("incidents", given.last_incident_id),
        ("improvements", given.last_improvement_id),
        ("tasks", given.last_task_id),
        ("task_comments", given.last_task_comment_id),
        ("attachments", given.last_attachment_id),
    ] {
        if let Some(last) = last {
            sequences::advance(run.session, table, last.into())?;
        }
    }
    if let Some(last) = given.last_value_id {
        values::given(run.session, last)?;
    }
    for (table, _, last) in given.counted() {
        if let Some(last) = *last {
            sequences::raise_counter(run.session, table, last.into())?;
        }
    }
    Ok(())
}
