//! Hourly and daily rollups of the values of a datasource, from which longer periods are grouped.
//!
//! Each value is in the rollup of its hour of UTC, or the queries read it from the table: values after the
//! watermark `rolled_up_until`, and those of stale rollups. Whoever writes values marks the rollups of their
//! hours as stale, in the same transaction, and [`refresh`] makes them again in the background. So groups are
//! always right; how far the refresh has come only decides what they cost.
//!
//! A daily rollup is made from the hourly ones of its day. Triggers of the database mark it as stale with any
//! change of these, also by a program of an earlier version. Hours after `days_rolled_up_until` and those of
//! stale days are read themselves.
//!
//! A program of an earlier version, or an operator, changes values and marks nothing. It moves the counter of
//! changes ([`changed`](super::changed)) and not `marked_counter`, and then no rollup of the datasource is
//! read.

mod mark;
mod query;
mod refresh;
mod wrong;

pub use mark::mark_dates;
pub(super) use mark::mark_values;
pub use query::{by_day, by_hour};
pub use refresh::refresh;
pub use wrong::{Period, find_wrong};

use crate::{Session, StoreError};

/// The length of an hour in ticks.
const HOUR: i64 = 36_000_000_000;

/// That of a day.
const DAY: i64 = 24 * HOUR;

/// The start of the hour of a value `v`. The remainder of a negative number is negative.
const HOUR_OF_VALUE: &str =
    "v.value_date - ((v.value_date % 36000000000) + 36000000000) % 36000000000";

/// The start of the day of an hourly rollup `r`.
const DAY_OF_ROLLUP: &str = "r.hour - ((r.hour % 864000000000) + 864000000000) % 864000000000";

/// Rollups are read only while this is true of the datasource `d`.
const IS_READ: &str = "d.marked_counter = d.change_counter";

/// Drops the rollups of a datasource, which the next refresh makes again.
///
/// # Errors
/// The engine fails.
pub fn drop_all(session: &mut dyn Session, datasource: i32) -> Result<(), StoreError> {
    // First the watermark, so that no day is marked.
    session.execute_deferred(
        "UPDATE datasources SET rolled_up_until = ?2, days_rolled_up_until = ?2, marked_counter = change_counter
            WHERE id = ?1",
        &[datasource.into(), i64::MIN.into()],
    )?;
    for table in ["value_rollups", "value_day_rollups"] {
        let sql = format!("DELETE FROM {table} WHERE datasource_id = ?1");
        session.execute_deferred(&sql, &[datasource.into()])?;
    }
    Ok(())
}

/// The columns of a rollup after its key, over values `v`.
fn aggregates(session: &dyn Session) -> String {
    format!(
        "count(*), count(v.value), {}, min(v.value + 0.0), max(v.value + 0.0)",
        session.dialect().of_queries().partial_sum("v.value")
    )
}

/// The columns of a daily rollup after its key, over hourly ones `r`.
fn combined(session: &dyn Session) -> String {
    format!(
        "CAST(sum(r.row_count) AS BIGINT), CAST(sum(r.value_count) AS BIGINT), {}, min(r.least), max(r.greatest)",
        session
            .dialect()
            .of_queries()
            .combined_partial_sum("r.total")
    )
}

/// The start of the hour of an instant (ticks).
fn hour_of(ticks: i64) -> i64 {
    ticks - ticks.rem_euclid(HOUR)
}

/// The start of the day of an instant (ticks).
fn day_of(ticks: i64) -> i64 {
    ticks.saturating_sub(ticks.rem_euclid(DAY))
}
