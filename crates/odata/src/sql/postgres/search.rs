//! How `$search` finds its rows: by the GIN index of the words, or by a scan of the rows in the order of the
//! page if many of them match.
//!
//! PostgreSQL plans a prepared statement without its words, and estimates that any of them is in one of 200
//! rows. With a limit it would then read rows in the order of their key until the page is full: all of them,
//! for a word that is in one. So the statement itself decides. In the order of the key it reads a bounded
//! number of rows first, and uses the index if these do not fill the page. In another order it uses the index
//! first, for a bounded number of rows, and scans if there are more.

use super::{LONGEST_WORD, array};
use crate::sql::Value;
use crate::sql::dialect::{Bind, Extent, KeyPage, OrderedPage, TextIndex};
use crate::sql::render::{qualified, quote};

/// Rows to read for each row of the page: for words in fewer of them the index is faster.
const ROWS_FOR_EACH: i64 = 20;
/// The least and the most rows to read. The least take less time than the rest of the statement.
const LEAST_ROWS: i64 = 1_000;
const MOST_ROWS: i64 = 5_000;
/// The matches from which on a walk in another order finds a page sooner than all of them are sorted.
const MANY_MATCHES: i64 = 1_000;

/// The condition on the row `alias`.
pub(super) fn matching_rows(
    index: TextIndex,
    alias: &str,
    phrases: &[Vec<String>],
    extent: &Extent,
    bind: Bind<'_>,
) -> String {
    let row = qualified(alias, index.column);
    let table = quote(index.table);
    let condition = condition(phrases, bind);
    let all = format!("SELECT w.rowid FROM {table} AS w WHERE ({condition})");
    match extent {
        // An array has no statistics, so the planner looks its members up by the key. With further conditions
        // they may be far fewer than the matches, and another index may find them.
        Extent::All => format!("{row} = ANY(ARRAY({all}))"),
        Extent::Page(page) if page.rows <= MOST_ROWS => {
            let walk = walk(index, page, &condition, bind);
            let rows = bind(Value::Int(page.rows));
            format!(
                "{row} = ANY(ARRAY(WITH near AS MATERIALIZED ({walk} LIMIT {rows}) \
                 SELECT rowid FROM near WHERE (SELECT count(*) FROM near) >= {rows} \
                 UNION ALL {all} AND (SELECT count(*) FROM near) < {rows}))"
            )
        }
        Extent::Ordered(page) if page.rows < MANY_MATCHES => {
            let many = bind(Value::Int(MANY_MATCHES));
            let walk = walk_in_order(index, &row, page, &condition);
            format!(
                "{row} = ANY(ARRAY(WITH few AS MATERIALIZED ({all} LIMIT {many}) \
                 SELECT rowid FROM few WHERE (SELECT count(*) FROM few) < {many} \
                 UNION ALL ({walk} AND (SELECT count(*) FROM few) >= {many}{order} LIMIT {rows})))",
                order = page.order,
                rows = bind(Value::Int(page.rows)),
            )
        }
        Extent::Page(_) | Extent::Ordered(_) | Extent::Other => format!("{row} IN ({all})"),
    }
}

/// The matches among the next rows in the order of the key, of which only those count that are rows of the
/// queried table too.
fn walk(index: TextIndex, page: &KeyPage, condition: &str, bind: Bind<'_>) -> String {
    let (sign, direction) = if page.descending {
        ("<", " DESC")
    } else {
        (">", "")
    };
    let start = match &page.after {
        Some(value) => format!(" WHERE rowid {sign} {}", bind(value.clone())),
        None => String::new(),
    };
    let looked_at = page.rows.saturating_mul(ROWS_FOR_EACH);
    let looked_at = bind(Value::Int(looked_at.clamp(LEAST_ROWS, MOST_ROWS)));
    format!(
        "SELECT w.rowid FROM (SELECT rowid, words, document FROM {}{start} ORDER BY rowid{direction} LIMIT {looked_at}) AS w \
         JOIN {} AS r ON r.{} = w.rowid WHERE ({condition}) ORDER BY w.rowid{direction}",
        quote(index.table),
        quote(page.table),
        quote(index.column),
    )
}

/// The matches among the rows after the keyset position. As a subquery with an offset the condition is
/// evaluated row by row: as a join, it would get a plan for all rows, with parallel workers.
fn walk_in_order(index: TextIndex, row: &str, page: &OrderedPage, condition: &str) -> String {
    let after = match &page.after {
        Some(after) => format!("{after} AND "),
        None => String::new(),
    };
    format!(
        "SELECT {row} FROM {} WHERE {after}EXISTS (SELECT 1 FROM {} AS w WHERE w.rowid = {row} AND ({condition}) OFFSET 0)",
        page.from,
        quote(index.table),
    )
}

/// The condition on the row `w` of the index. All single words are one index condition. A phrase is found by
/// its words, and then searched in the document; so is a word that may be the start of a longer one.
fn condition(phrases: &[Vec<String>], bind: Bind<'_>) -> String {
    let is_start = |word: &String| word.chars().nth(LONGEST_WORD - 1).is_some();
    let (single, more): (Vec<_>, Vec<_>) = phrases
        .iter()
        .partition(|phrase| matches!(&phrase[..], [word] if !is_start(word)));
    let single: Vec<String> = single.into_iter().flatten().cloned().collect();
    let mut conditions = Vec::with_capacity(more.len() + 1);
    if !single.is_empty() {
        conditions.push(format!("w.words && {}", array(&single, bind)));
    }
    for phrase in more {
        let words: Vec<String> = phrase
            .iter()
            .map(|word| stored_prefix(word).to_owned())
            .collect();
        let words = array(&words, bind);
        let run = bind(Value::Text(format!(" {} ", phrase.join(" "))));
        conditions.push(format!(
            "(w.words @> {words} AND strpos(w.document, {run}) > 0)"
        ));
    }
    conditions.join(" OR ")
}

/// The entry of a word in `words`.
fn stored_prefix(word: &str) -> &str {
    word.char_indices()
        .nth(LONGEST_WORD)
        .map_or(word, |(end, _)| &word[..end])
}
