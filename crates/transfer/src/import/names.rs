//! `improvement_categories.jsonl`. Improvements may have these names as well; the lines of one folder must
//! agree.

use super::error::ImportError;
use super::folder::Source;
use super::ids::SeenIds;
use super::run::{LineAction, Run};
use obeya_store::tables::names::{ImprovementCategoryLine, ImprovementCategoryRow};

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
