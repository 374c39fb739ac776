//! `incident_comments.jsonl`.

use super::error::ExportError;
use super::folder::JsonlWriter;
use super::read::by_id;
use obeya_store::engine::Session;
use obeya_store::tables::comments::CommentRow;

/// Writes `incident_comments.jsonl`.
pub(super) fn write(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    by_id(session, &CommentRow::statements().columns_from, |row| {
        let line = CommentRow::read(row)?.into_line();
        out.write(line.id, &line)
    })
}
