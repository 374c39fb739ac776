//! `data_lists.jsonl` and `improvement_categories.jsonl`.

use super::error::ExportError;
use super::folder::JsonlWriter;
use super::read::by_id;
use obeya_store::engine::Session;
use obeya_store::tables::names::{DataListRow, ImprovementCategoryRow};

/// Writes `data_lists.jsonl`.
pub(super) fn data_lists(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    by_id(session, &DataListRow::statements().columns_from, |row| {
        let line = DataListRow::read(row)?.into_line();
        out.write(line.id, &line)
    })
}

/// Writes `improvement_categories.jsonl`.
pub(super) fn improvement_categories(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    by_id(
        session,
        &ImprovementCategoryRow::statements().columns_from,
        |row| {
            let line = ImprovementCategoryRow::read(row)?.into_line();
            out.write(line.id, &line)
        },
    )
}
