//! `data_lists.jsonl` and `improvement_categories.jsonl`. Other files may have these names as well; the lines
//! of one folder must agree.

use super::error::ImportError;
use super::folder::Source;
use super::ids::SeenIds;
use super::run::{LineAction, Run};
use obeya_store::tables::names::{
    DataListLine, DataListRow, ImprovementCategoryLine, ImprovementCategoryRow,
};

/// Reads `data_lists.jsonl`.
pub(super) fn data_lists(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut seen = SeenIds::default();
    run.each(source, |run, location, line: DataListLine| {
        let exists = run.known.data_lists.contains(&line.id);
        if run.action(location, &mut seen, &line.id, exists)? == LineAction::Skip {
            return Ok(());
        }
        let row = DataListRow::from_line(line);
        run.execute(&DataListRow::statements().upsert, &row.cells())?;
        run.known.data_lists.insert(row.id);
        run.collected.data_lists.insert(row.id, row.name);
        Ok(())
    })
}

/// Reads `improvement_categories.jsonl`.
pub(super) fn improvement_categories(
    run: &mut Run<'_>,
    source: &Source,
) -> Result<(), ImportError> {
    let mut seen = SeenIds::default();
    run.each(source, |run, location, line: ImprovementCategoryLine| {
        let exists = run.known.improvement_categories.contains_key(&line.id);
        if run.action(location, &mut seen, &line.id, exists)? == LineAction::Skip {
            return Ok(());
        }
        let row = ImprovementCategoryRow::from_line(line);
        run.execute(&ImprovementCategoryRow::statements().upsert, &row.cells())?;
        let title = row.title.clone();
        run.collected.improvement_categories.insert(row.id, title);
        run.known.improvement_categories.insert(row.id, row.title);
        Ok(())
    })
}
