//! `task_comments.jsonl`.

use super::error::ExportError;
use super::folder::JsonlWriter;
use super::read::by_id;
use obeya_store::engine::Session;
use obeya_store::tables::task_comments::TaskCommentRow;

/// Writes `task_comments.jsonl`.
pub(super) fn write(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    let columns = &TaskCommentRow::statements().columns_from;
    by_id(session, columns, |row| {
        let line = TaskCommentRow::read(row)?.into_line();
        out.write(line.id, &line)
    })
}
