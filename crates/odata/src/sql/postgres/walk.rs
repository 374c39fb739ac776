//! The rows of a page in the order of the key that meet a condition on their texts: by a bounded walk in that
//! order, or by an index.
//!
//! PostgreSQL plans a prepared statement without its values, and estimates that a fixed share of the rows
//! matches. With a limit it would then read rows in the order of the key until the page is full: all of them,
//! for a text that is in one. So the statement itself decides: it reads a bounded number of rows first, and
//! uses the index if these do not fill the page.

use crate::sql::Value;
use crate::sql::dialect::{Bind, KeyPage};

/// Rows that a bounded walk reads for each row of the page: for texts in fewer of them the index is faster.
const ROWS_FOR_EACH: i64 = 20;
/// The least and the most that it reads. The least take less time than the rest of the statement.
const LEAST_ROWS: i64 = 1_000;
pub(super) const MOST_ROWS: i64 = 5_000;

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
