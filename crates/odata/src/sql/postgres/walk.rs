//! The rows of a page that meet a condition on their texts: by an index, or by a walk in the order of the
//! page if many rows match.
//!
//! PostgreSQL plans a prepared statement without its values, and estimates that a fixed share of the rows
//! matches. With a limit it would then read rows in the order of the page until that is full: all of them,
//! for a text that is in one. So the statement itself decides, by one of two ways. It reads a bounded number
//! of rows in the order of the key, and uses the index if these do not fill the page. Or it uses the index
//! first, for a bounded number of rows, and walks if there are more.

use crate::sql::Value;
use crate::sql::dialect::{Bind, KeyPage, OrderedPage};
use crate::sql::render::quote;

/// Rows that a bounded walk reads for each row of the page: for texts in fewer of them the index is faster.
const ROWS_FOR_EACH: i64 = 20;
/// The least and the most that it reads. The least take less time than the rest of the statement.
const LEAST_ROWS: i64 = 1_000;
pub(super) const MOST_ROWS: i64 = 5_000;

/// A page in the order of the key as one in another order.
pub(super) fn in_order(page: &KeyPage, alias: &str, key: &str, bind: Bind<'_>) -> OrderedPage {
    let direction = direction(page);
    let sign = if page.descending { "<" } else { ">" };
    let after = page.after.clone();
    OrderedPage {
        from: format!("{} AS {alias}", quote(page.table)),
        after: after.map(|value| format!("{key} {sign} {}", bind(value))),
        order: format!(" ORDER BY {key}{direction}"),
        rows: page.rows,
    }
}

/// The end of an `ORDER BY` of the key.
pub(super) fn direction(page: &KeyPage) -> &'static str {
    if page.descending { " DESC" } else { "" }
}

/// The next rows of a table in the order of the key, as many as a bounded walk reads.
pub(super) fn next_rows(
    columns: &str,
    table: &str,
    key: &str,
    page: &KeyPage,
    bind: Bind<'_>,
) -> String {
    let sign = if page.descending { "<" } else { ">" };
    let start = match &page.after {
        Some(value) => format!(" WHERE {key} {sign} {}", bind(value.clone())),
        None => String::new(),
    };
    let rows = page.rows.saturating_mul(ROWS_FOR_EACH);
    let rows = bind(Value::Int(rows.clamp(LEAST_ROWS, MOST_ROWS)));
    let direction = direction(page);
    format!("SELECT {columns} FROM {table}{start} ORDER BY {key}{direction} LIMIT {rows}")
}

/// The keys of a page: those that `near` finds if they fill it, otherwise `all`.
pub(super) fn near_or_all(near: &str, all: &str, rows: i64, bind: Bind<'_>) -> String {
    let rows = bind(Value::Int(rows));
    format!(
        "WITH near AS MATERIALIZED ({near} LIMIT {rows}) \
         SELECT rowid FROM near WHERE (SELECT count(*) FROM near) >= {rows} \
         UNION ALL {all} AND (SELECT count(*) FROM near) < {rows}"
    )
}

/// The keys of a page: `all` if they are fewer than `many`, otherwise those of the rows after the keyset
/// position that meet `condition`. A subquery in it needs an offset, to be evaluated row by row: as a join,
/// it would get a plan for all rows, with parallel workers.
pub(super) fn few_or_walk(
    row: &str,
    page: &OrderedPage,
    condition: &str,
    (all, many): (&str, i64),
    bind: Bind<'_>,
) -> String {
    let many = bind(Value::Int(many));
    let after = match &page.after {
        Some(after) => format!("{after} AND "),
        None => String::new(),
    };
    format!(
        "WITH few AS MATERIALIZED ({all} LIMIT {many}) \
         SELECT rowid FROM few WHERE (SELECT count(*) FROM few) < {many} \
         UNION ALL (SELECT {row} FROM {from} WHERE {after}{condition} AND (SELECT count(*) FROM few) >= {many}{order} LIMIT {rows})",
        from = page.from,
        order = page.order,
        rows = bind(Value::Int(page.rows)),
    )
}
