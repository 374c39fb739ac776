//! `data_lists.jsonl` and `improvement_categories.jsonl`. Other files may tell these names as well; the lines of one folder must agree.

use super::error::ImportError;
use super::folder::Source;
use super::known::Seen;
use super::run::{Run, Turn, upsert};
use crate::lines::names::{DataListLine, ImprovementCategoryLine};

/// Reads `data_lists.jsonl`.
pub(super) fn data_lists(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let sql = upsert("data_lists", &["id"], &["name"]);
    let mut seen = Seen::default();
    run.each(source, |run, place, line: DataListLine| {
        let exists = run.known.data_lists.contains(&line.id);
        if run.turn(place, &mut seen, &line.id, exists)? == Turn::Skip {
            return Ok(());
        }
        run.execute(&sql, &[line.id.into(), (&line.name).into()])?;
        run.known.data_lists.insert(line.id);
        run.told.data_lists.insert(line.id, line.name);
        Ok(())
    })
}

/// Reads `improvement_categories.jsonl`.
pub(super) fn improvement_categories(
    run: &mut Run<'_>,
    source: &Source,
) -> Result<(), ImportError> {
    let sql = upsert("improvement_categories", &["id"], &["title"]);
    let mut seen = Seen::default();
    run.each(source, |run, place, line: ImprovementCategoryLine| {
        let exists = run.known.improvement_categories.contains_key(&line.id);
        if run.turn(place, &mut seen, &line.id, exists)? == Turn::Skip {
            return Ok(());
        }
        run.execute(&sql, &[line.id.into(), (&line.title).into()])?;
        let title = line.title.clone();
        run.told.improvement_categories.insert(line.id, title);
        run.known.improvement_categories.insert(line.id, line.title);
        Ok(())
    })
}
