//! `improvement_categories.jsonl`.

use super::error::ExportError;
use super::folder::JsonlWriter;
use super::read::by_id;
use obeya_store::engine::Session;
use obeya_store::tables::names::ImprovementCategoryRow;

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
