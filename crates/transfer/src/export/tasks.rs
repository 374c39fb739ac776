//! `tasks.jsonl`.

use super::error::ExportError;
use super::folder::JsonlWriter;
use super::read::by_id;
use obeya_store::engine::Session;
use obeya_store::tables::tasks::{TaskLine, TaskRow};
use obeya_store::wire::timestamp;

/// Writes `tasks.jsonl`.
pub(super) fn write(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    by_id(session, &TaskRow::statements().columns_from, |row| {
        let row = TaskRow::read(row)?;
        let line = TaskLine {
            last_modified: Some(timestamp(row.last_modified)?),
            ..row.into_line()
        };
        out.write(line.id, &line)
    })
}
