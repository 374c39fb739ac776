//! How conditions on parts of texts find their rows: by the GIN index of the trigrams, or by a walk.

use super::{is_member, walk};
use crate::sql::dialect::{Bind, Extent, KeyPage, OrderedPage, TextIndex};
use crate::sql::render::{qualified, quote};
use crate::sql::semi_join::many;
use crate::sql::trigrams::{self, Runs};
use crate::sql::{TrigramCondition, Value};

/// The rows of the largest page that a bounded walk may fill: it compares each text character by character. A
/// larger page, and one in another order, counts the matches in the index first.
const SHORT_PAGE: i64 = 100;

/// Whether a walk may fill the page.
pub(super) fn may_walk(extent: &Extent) -> bool {
    match extent {
        Extent::Page(KeyPage { rows, .. }) | Extent::Ordered(OrderedPage { rows, .. }) => {
            *rows <= walk::MOST_ROWS
        }
        Extent::All | Extent::Other => false,
    }
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
    let few_or_walk = |page: &OrderedPage, condition: &str, bind: Bind<'_>| {
        let all = (all.as_str(), many(page.rows));
        is_member(&row, &walk::few_or_walk(&row, page, condition, all, bind))
    };
    Some(match (extent, condition) {
        (Extent::Page(page), Some(condition)) if page.rows <= SHORT_PAGE => {
            let next = walk::next_rows("*", &quote(page.table), &key, page, bind);
            let near = format!(
                "SELECT {row} AS rowid FROM ({next}) AS {alias} WHERE {condition} ORDER BY {row}{}",
                walk::direction(page)
            );
            is_member(&row, &walk::near_or_all(&near, &all, page.rows, bind))
        }
        (Extent::Page(page), Some(condition)) => {
            let page = walk::in_order(page, alias, &row, bind);
            few_or_walk(&page, condition, bind)
        }
        (Extent::Ordered(page), Some(condition)) => few_or_walk(page, condition, bind),
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
