//! How `$search` finds its rows: by the GIN index of the words, or by a scan of the rows in the order of the
//! page if many of them match.
//!
//! PostgreSQL estimates that any word is in one of 200 rows. In the order of the key the statement decides by
//! a bounded walk ([`walk`]). In another order it uses the index first, for a bounded number of rows, and
//! scans if there are more.

use super::{LONGEST_TERM, MORE, is_member, walk};
use crate::search::PhraseTerms;
use crate::sql::Value;
use crate::sql::dialect::{Bind, Extent, KeyPage, OrderedPage, TextIndex};
use crate::sql::render::{qualified, quote};

/// The matches from which on a walk in another order finds a page sooner than all of them are sorted.
const MANY_MATCHES: i64 = 1_000;

/// The condition on the row `alias`.
pub(super) fn matching_rows(
    index: TextIndex,
    alias: &str,
    phrases: &[PhraseTerms],
    extent: &Extent,
    bind: Bind<'_>,
) -> String {
    let row = qualified(alias, index.column);
    let table = quote(index.table);
    let condition = condition(phrases, bind);
    let all = format!("SELECT w.rowid FROM {table} AS w WHERE ({condition})");
    match extent {
        Extent::All => is_member(&row, &all),
        Extent::Page(page) if page.rows <= walk::MOST_ROWS => {
            let near = near(index, page, &condition, bind);
            let rows = walk::near_or_all(&near, &all, page.rows, bind);
            is_member(&row, &rows)
        }
        Extent::Ordered(page) if page.rows < MANY_MATCHES => {
            let matches = format!(
                "EXISTS (SELECT 1 FROM {table} AS w WHERE w.rowid = {row} AND ({condition}) OFFSET 0)"
            );
            is_member(&row, &few_or_walk(&row, page, &matches, &all, bind))
        }
        // With further conditions they may be far fewer than the matches, and another index may find them.
        Extent::Page(_) | Extent::Ordered(_) | Extent::Other => format!("{row} IN ({all})"),
    }
}

/// The matches among the next rows in the order of the key, of which only those count that are rows of the
/// queried table too.
fn near(index: TextIndex, page: &KeyPage, condition: &str, bind: Bind<'_>) -> String {
    let table = quote(index.table);
    let next = walk::next_rows("rowid, words, document", &table, "rowid", page, bind);
    format!(
        "SELECT w.rowid FROM ({next}) AS w JOIN {} AS r ON r.{} = w.rowid WHERE ({condition}) ORDER BY w.rowid{}",
        quote(page.table),
        quote(index.column),
        walk::direction(page),
    )
}

/// The matches of a page in another order: all of them if they are few, otherwise those among the rows after
/// the keyset position. As a subquery with an offset `matches` is evaluated row by row: as a join, it would
/// get a plan for all rows, with parallel workers.
fn few_or_walk(row: &str, page: &OrderedPage, matches: &str, all: &str, bind: Bind<'_>) -> String {
    let many = bind(Value::Int(MANY_MATCHES));
    let after = match &page.after {
        Some(after) => format!("{after} AND "),
        None => String::new(),
    };
    format!(
        "WITH few AS MATERIALIZED ({all} LIMIT {many}) \
         SELECT rowid FROM few WHERE (SELECT count(*) FROM few) < {many} \
         UNION ALL (SELECT {row} FROM {from} WHERE {after}{matches} AND (SELECT count(*) FROM few) >= {many}{order} LIMIT {rows})",
        from = page.from,
        order = page.order,
        rows = bind(Value::Int(page.rows)),
    )
}

/// The condition on the row `w` of the index. The index finds the rows that have all terms of a phrase; then
/// the phrase is searched in the document. That is not needed for a single term, unless the term may be the
/// beginning of a longer one, or the row has more terms than the index.
fn condition(phrases: &[PhraseTerms], bind: Bind<'_>) -> String {
    let is_exact = |phrase: &&PhraseTerms| {
        phrase.terms.len() == 1 && phrase.terms[0].chars().nth(LONGEST_TERM - 1).is_none()
    };
    // As a subquery the text is read once, and not for each row.
    let matches = |query: Vec<String>, bind: Bind<'_>| {
        let query = bind(Value::Text(query.join(" | ")));
        format!("w.words @@ (SELECT CAST({query} AS tsquery))")
    };
    let more = format!("'{MORE}'");
    let candidates = matches(phrases.iter().map(query).chain([more]).collect(), bind);
    let exact: Vec<String> = phrases.iter().filter(is_exact).map(query).collect();
    let mut checks = Vec::with_capacity(phrases.len() + 1);
    if !exact.is_empty() {
        checks.push(matches(exact, bind));
    }
    for phrase in phrases {
        let end = if phrase.is_prefix { "" } else { " " };
        let run = bind(Value::Text(format!(" {}{end}", phrase.terms.join(" "))));
        checks.push(format!("strpos(w.document, {run}) > 0"));
    }
    format!("{candidates} AND ({})", checks.join(" OR "))
}

/// A phrase as a `tsquery`, which finds all its terms in any order. Terms contain no quote.
fn query(phrase: &PhraseTerms) -> String {
    let last = phrase.terms.len() - 1;
    let terms = phrase.terms.iter().enumerate().map(|(at, term)| {
        let end = term.char_indices().nth(LONGEST_TERM);
        let stored = &term[..end.map_or(term.len(), |(end, _)| end)];
        let is_open = at == last && phrase.is_prefix;
        format!("'{stored}'{}", if is_open { ":*" } else { "" })
    });
    format!("({})", terms.collect::<Vec<_>>().join(" & "))
}
