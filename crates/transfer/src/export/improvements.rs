//! `improvements.jsonl`.

use obeya_model::Patch;

use super::error::ExportError;
use super::folder::JsonlWriter;
use super::read::by_id;
use obeya_store::engine::{Session, StoreError};
use obeya_store::tables::improvements::{ImprovementLine, ImprovementRow};
use obeya_store::wire::timestamp;

/// Writes `improvements.jsonl`.
pub(super) fn write(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    by_id(session, &ImprovementRow::statements().columns_from, |row| {
        let line = line(ImprovementRow::read(row)?)?;
        out.write(line.id, &line)
    })
}

fn line(row: ImprovementRow) -> Result<ImprovementLine, StoreError> {
    let is_archived = row.status.as_str() == "Archived";
    let archived_from = match is_archived {
        true => Some(row.archived_from).into(),
        false => Patch::Absent,
    };
    let last_modified = Some(timestamp(row.last_modified)?);
    Ok(ImprovementLine {
        archived_from,
        last_modified,
        ..row.into_line()
    })
}
