//! How conditions on parts of texts find their rows: by the GIN index of the trigrams, or by a walk.

use super::{is_member, walk};
use crate::sql::dialect::{Bind, Extent, TextIndex};
use crate::sql::render::{qualified, quote};
use crate::sql::trigrams::{self, Runs};
use crate::sql::{TrigramCondition, Value};

/// The rows of the largest page that a bounded walk may fill: it compares each text character by character.
const SHORT_PAGE: i64 = 100;

/// Whether a walk may fill the page. In another order than that of the key it would have no bound: the rows
/// that match may be the last ones, or none at all where an index has all trigrams of a part.
pub(super) fn may_walk(extent: &Extent) -> bool {
    matches!(extent, Extent::Page(page) if page.rows <= SHORT_PAGE)
}

/// The condition on the row `alias`; `None` if any text may match. `condition` is the whole condition of the
/// rows, for a page that a walk may fill.
pub(super) fn matching_rows(
    index: TextIndex,
    alias: &str,
    parts: &TrigramCondition,
    condition: Option<&str>,
    extent: &Extent,
    bind: Bind<'_>,
) -> Option<String> {
    let runs = of_runs(&trigrams::runs(parts)?, bind);
    let (row, key) = (qualified(alias, index.column), quote(index.column));
    let all = format!("SELECT rowid FROM {} WHERE {runs}", quote(index.table));
    Some(match (extent, condition) {
        (Extent::Page(page), Some(condition)) => {
            let next = walk::next_rows("*", &quote(page.table), &key, page, bind);
            let near = format!(
                "SELECT {row} AS rowid FROM ({next}) AS {alias} WHERE {condition} ORDER BY {row}{}",
                walk::direction(page)
            );
            is_member(&row, &walk::near_or_all(&near, &all, page.rows, bind))
        }
        (Extent::All, _) => is_member(&row, &all),
        // With further conditions they may be far fewer than the matches, and another index may find them.
        _ => format!("{row} IN ({all})"),
    })
}

fn of_runs(runs: &Runs, bind: Bind<'_>) -> String {
    let (all, word) = match runs {
        Runs::Of(part) => return format!("grams @> {}", array(part, bind)),
        Runs::All(all) => (all, " AND "),
        Runs::Any(any) => (any, " OR "),
    };
    let texts: Vec<String> = all.iter().map(|runs| of_runs(runs, bind)).collect();
    format!("({})", texts.join(word))
}

fn array(texts: &[String], bind: Bind<'_>) -> String {
    let places: Vec<String> = texts
        .iter()
        .map(|text| bind(Value::Text(text.clone())))
        .collect();
    format!("ARRAY[{}]", places.join(", "))
}
