//! `data_lists.jsonl` and `improvement_categories.jsonl`.

use super::error::ExportError;
use super::folder::Lines;
use super::read::by_id;
use crate::lines::names::{DataListLine, ImprovementCategoryLine};
use obeya_store::engine::{Session, present};

/// Writes `data_lists.jsonl`.
pub(super) fn data_lists(
    session: &mut dyn Session,
    out: &mut Lines<'_>,
) -> Result<(), ExportError> {
    by_id(session, "id, name FROM data_lists", |row| {
        let line = DataListLine {
            id: present(row.int32(0)?)?,
            name: present(row.string(1)?)?,
        };
        out.put(line.id, &line)
    })
}

/// Writes `improvement_categories.jsonl`.
pub(super) fn improvement_categories(
    session: &mut dyn Session,
    out: &mut Lines<'_>,
) -> Result<(), ExportError> {
    by_id(session, "id, title FROM improvement_categories", |row| {
        let line = ImprovementCategoryLine {
            id: present(row.int32(0)?)?,
            title: present(row.string(1)?)?,
        };
        out.put(line.id, &line)
    })
}
