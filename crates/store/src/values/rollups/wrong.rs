//! Finds rollups that differ from what they are made from.

use std::ops::ControlFlow;

use super::{DAY_OF_ROLLUP, HOUR_OF_VALUE, IS_READ, aggregates, combined};
use crate::engine::present;
use crate::{Session, StoreError};

/// A period that is rolled up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// From its values.
    Hour,
    /// From its hours.
    Day,
}

/// Calls `each` with the datasource and start (ticks) of every rollup of such a period that differs from what
/// it is made from.
///
/// # Errors
/// The engine fails.
pub fn find_wrong(
    session: &mut dyn Session,
    period: Period,
    each: &mut dyn FnMut(i32, i64),
) -> Result<(), StoreError> {
    let sql = match period {
        Period::Hour => wrong_hours(session),
        Period::Day => wrong_days(session),
    };
    session.query(&sql, &[], &mut |row| {
        each(present(row.int32(0)?)?, present(row.int(1)?)?);
        Ok(ControlFlow::Continue(()))
    })
}

/// The query for the datasources and hours whose rollups differ from their values.
fn wrong_hours(session: &dyn Session) -> String {
    let stored = format!(
        "SELECT r.datasource_id, r.hour, r.row_count, r.value_count, r.total, r.least, r.greatest
            FROM datasources AS d JOIN value_rollups AS r ON r.datasource_id = d.id
            WHERE {IS_READ} AND r.is_stale = 0"
    );
    let expected = format!(
        "SELECT v.datasource_id, {HOUR_OF_VALUE} AS hour, {}
            FROM datasources AS d JOIN datasource_values AS v ON v.datasource_id = d.id
            WHERE {IS_READ} AND v.value_date < d.rolled_up_until AND NOT EXISTS (SELECT 1 FROM value_rollups AS s
                WHERE s.datasource_id = v.datasource_id AND s.hour = {HOUR_OF_VALUE} AND s.is_stale = 1)
            GROUP BY 1, 2",
        aggregates(session)
    );
    difference(&stored, &expected, "hour")
}

/// The query for the datasources and days whose rollups differ from those of their hours.
fn wrong_days(session: &dyn Session) -> String {
    let stored = format!(
        "SELECT r.datasource_id, r.day, r.row_count, r.value_count, r.total, r.least, r.greatest
            FROM datasources AS d JOIN value_day_rollups AS r ON r.datasource_id = d.id
            WHERE {IS_READ} AND r.is_stale = 0"
    );
    let expected = format!(
        "SELECT r.datasource_id, {DAY_OF_ROLLUP} AS day, {}
            FROM datasources AS d JOIN value_rollups AS r ON r.datasource_id = d.id
            WHERE {IS_READ} AND r.hour < d.days_rolled_up_until AND NOT EXISTS (SELECT 1 FROM value_day_rollups AS s
                WHERE s.datasource_id = r.datasource_id AND s.day = {DAY_OF_ROLLUP} AND s.is_stale = 1)
            GROUP BY 1, 2",
        combined(session)
    );
    difference(&stored, &expected, "day")
}

/// The query for the datasources and periods of the rows that one of two queries alone has.
fn difference(stored: &str, expected: &str, period: &str) -> String {
    format!(
        "SELECT DISTINCT wrong.datasource_id, wrong.{period} FROM (
            SELECT * FROM ({stored} EXCEPT {expected}) AS too_much UNION ALL
            SELECT * FROM ({expected} EXCEPT {stored}) AS too_little
        ) AS wrong ORDER BY 1, 2"
    )
}
