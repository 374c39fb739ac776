//! Hourly rollups of the values of a datasource, from which longer periods are grouped.
//!
//! Each value is in the rollup of its hour of UTC, or [`rows`] reads it from the table: values after the
//! watermark `rolled_up_until`, and those of stale rollups. Whoever writes values marks the rollups of their
//! hours as stale, in the same transaction, and [`refresh`] makes them again in the background. So groups are
//! always right; how far the refresh has come only decides what they cost.
//!
//! A program of an earlier version, or an operator, changes values and marks nothing. It moves the counter of
//! changes ([`changed`](super::changed)) and not `marked_counter`, and then no rollup of the datasource is
//! read.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

use obeya_odata::sql::Dialect;

use super::pieces;
use crate::engine::{Value, present};
use crate::{Session, Store, StoreError};

/// The length of an hour in ticks.
const HOUR: i64 = 36_000_000_000;
/// The start of the hour of a value `v`. The remainder of a negative number is negative.
const HOUR_OF_VALUE: &str =
    "v.value_date - ((v.value_date % 36000000000) + 36000000000) % 36000000000";
/// Values that one write aggregates, unless an hour has more, so that other writes do not wait for long.
const VALUES_PER_WRITE: i64 = 20_000;
/// Stale rollups that one write refreshes.
const STALE_HOURS_PER_WRITE: i64 = 24;
/// Writes for a datasource in one refresh: its rollups may become stale again as fast.
const MOST_ROUNDS: usize = 500;

const MARK: &str = "INSERT INTO value_rollups (datasource_id, hour, is_stale)";
const MARKED: &str =
    "ON CONFLICT (datasource_id, hour) DO UPDATE SET is_stale = 1 WHERE value_rollups.is_stale = 0";

/// Marks the rollups of these dates (ticks), at which values are added or deleted, as stale.
///
/// # Errors
/// The engine fails.
pub fn mark_dates(
    session: &mut dyn Session,
    datasource: i32,
    dates: impl Iterator<Item = i64>,
) -> Result<(), StoreError> {
    let hours: BTreeSet<i64> = dates.map(hour_of).collect();
    let hours: Vec<Value<'_>> = hours.into_iter().map(Value::Int).collect();
    for (places, hours) in pieces::of(&hours, 2) {
        let rows: Vec<String> = places
            .split(", ")
            .map(|place| format!("(CAST({place} AS BIGINT))"))
            .collect();
        let sql = format!(
            "{MARK} SELECT d.id, h.column1, 1 FROM datasources AS d CROSS JOIN (VALUES {}) AS h
                WHERE d.id = ?1 AND d.rolled_up_until > h.column1 {MARKED}",
            rows.join(", ")
        );
        session.execute_deferred(&sql, &[&[datasource.into()], &hours[..]].concat())?;
    }
    Ok(())
}

/// Marks the rollups of the values that meet a condition on `v` as stale, before these are changed or
/// deleted. The datasource is `?1`.
pub(super) fn mark_values(
    session: &mut dyn Session,
    condition: &str,
    binds: &[Value<'_>],
) -> Result<(), StoreError> {
    let sql = format!(
        "{MARK} SELECT DISTINCT d.id, {HOUR_OF_VALUE}, 1
            FROM datasources AS d JOIN datasource_values AS v ON v.datasource_id = d.id
            WHERE d.id = ?1 AND v.value_date < d.rolled_up_until AND {condition} {MARKED}"
    );
    session.execute_deferred(&sql, binds)
}

/// The query for every value once: in the rollup of its hour, or as a row of its own, for
/// [`sql::Rollup`](obeya_odata::sql::Rollup).
///
/// No view of the schema: on PostgreSQL one would follow `datasource_values` when an operator renames it, to
/// put a table with partitions in its place. CROSS JOIN fixes the order of the loops on SQLite.
pub fn rows(dialect: &dyn Dialect) -> String {
    let value = format!(
        "1, CASE WHEN v.value IS NULL THEN 0 ELSE 1 END, {}, v.value + 0.0, v.value + 0.0",
        dialect.exact("v.value")
    );
    // The date is that of the hour, so that a condition on it chooses among the stale rollups.
    let hint = dialect.index_hint("value_rollups_stale");
    let of_hour = format!(
        "v.datasource_id = r.datasource_id AND v.value_date >= r.hour AND v.value_date < r.hour + {HOUR}"
    );
    let of_stale_hours = dialect.nested_loop(
        (
            &format!("datasources AS d CROSS JOIN value_rollups AS r{hint}"),
            "d.marked_counter = d.change_counter AND r.datasource_id = d.id AND r.is_stale = 1",
        ),
        ("datasource_values", &of_hour),
        "v.value",
    );
    format!(
        "SELECT d.id AS datasource_id, r.hour AS value_date, r.row_count AS row_count,
            r.value_count AS value_count, r.total AS total, r.least AS least, r.greatest AS greatest
            FROM datasources AS d CROSS JOIN value_rollups AS r
            WHERE d.marked_counter = d.change_counter AND r.datasource_id = d.id AND r.is_stale = 0
        UNION ALL SELECT d.id, r.hour, {value}
            FROM {of_stale_hours}
        UNION ALL SELECT d.id, v.value_date, {value}
            FROM datasources AS d CROSS JOIN datasource_values AS v
            WHERE v.datasource_id = d.id AND v.value_date >= CASE
                WHEN d.marked_counter = d.change_counter THEN d.rolled_up_until ELSE {} END",
        -i64::MAX
    )
}

/// Drops the rollups of a datasource, which the next refresh makes again.
///
/// # Errors
/// The engine fails.
pub fn drop_all(session: &mut dyn Session, datasource: i32) -> Result<(), StoreError> {
    session.execute_deferred(
        "DELETE FROM value_rollups WHERE datasource_id = ?1",
        &[datasource.into()],
    )?;
    session.execute_deferred(
        "UPDATE datasources SET rolled_up_until = ?2, marked_counter = change_counter WHERE id = ?1",
        &[datasource.into(), i64::MIN.into()],
    )
}

/// Refreshes the stale rollups, and makes those of hours that are over at `now` (ticks); returns how many
/// writes that took. The datasources take turns, and after [`MOST_ROUNDS`] the rest is left to the next call.
///
/// # Errors
/// The last error of the store; one of a datasource does not affect the others.
pub async fn refresh(store: &Store, now: i64) -> Result<u64, StoreError> {
    let end = hour_of(now);
    let mut due = store
        .read(move |session| due_datasources(session, end))
        .await?;
    let (mut writes, mut failed) = (0, None);
    for _ in 0..MOST_ROUNDS {
        let mut unfinished = Vec::new();
        for datasource in due {
            let refreshed = store.write(move |session| refresh_some(session, datasource, end));
            match refreshed.await {
                Ok(true) => unfinished.push(datasource),
                Ok(false) => {}
                Err(error) => failed = Some(error),
            }
        }
        if unfinished.is_empty() {
            break;
        }
        writes += unfinished.len() as u64;
        due = unfinished;
    }
    failed.map_or(Ok(writes), Err)
}

/// Calls `each` with the datasource and hour (ticks) of every rollup that differs from its values.
///
/// # Errors
/// The engine fails.
pub fn find_wrong(
    session: &mut dyn Session,
    each: &mut dyn FnMut(i32, i64),
) -> Result<(), StoreError> {
    let is_read = "d.marked_counter = d.change_counter";
    let stored = format!(
        "SELECT r.datasource_id, r.hour, r.row_count, r.value_count, r.total, r.least, r.greatest
            FROM datasources AS d JOIN value_rollups AS r ON r.datasource_id = d.id
            WHERE {is_read} AND r.is_stale = 0"
    );
    let expected = format!(
        "SELECT v.datasource_id, {HOUR_OF_VALUE} AS hour, {}
            FROM datasources AS d JOIN datasource_values AS v ON v.datasource_id = d.id
            WHERE {is_read} AND v.value_date < d.rolled_up_until AND NOT EXISTS (SELECT 1 FROM value_rollups AS s
                WHERE s.datasource_id = v.datasource_id AND s.hour = {HOUR_OF_VALUE} AND s.is_stale = 1)
            GROUP BY 1, 2",
        aggregates(session)
    );
    let sql = format!(
        "SELECT DISTINCT wrong.datasource_id, wrong.hour FROM (
            SELECT * FROM ({stored} EXCEPT {expected}) AS too_much UNION ALL
            SELECT * FROM ({expected} EXCEPT {stored}) AS too_little
        ) AS wrong ORDER BY 1, 2"
    );
    session.query(&sql, &[], &mut |row| {
        each(present(row.int32(0)?)?, present(row.int(1)?)?);
        Ok(ControlFlow::Continue(()))
    })
}

/// The datasources that [`refresh`] changes.
fn due_datasources(session: &mut dyn Session, end: i64) -> Result<Vec<i32>, StoreError> {
    let sql = "SELECT d.id FROM datasources AS d
        WHERE d.marked_counter <> d.change_counter
            OR EXISTS (SELECT 1 FROM value_rollups AS r WHERE r.datasource_id = d.id AND r.is_stale = 1)
            OR EXISTS (SELECT 1 FROM datasource_values AS v
                WHERE v.datasource_id = d.id AND v.value_date >= d.rolled_up_until AND v.value_date < ?1)
        ORDER BY d.id";
    session.all(sql, &[end.into()], |row| present(row.int32(0)?))
}

/// Refreshes some rollups of a datasource; returns false if there was nothing to do.
fn refresh_some(session: &mut dyn Session, datasource: i32, end: i64) -> Result<bool, StoreError> {
    let unmarked = "SELECT 1 FROM datasources WHERE id = ?1 AND marked_counter <> change_counter";
    let unmarked = session.first(unmarked, &[datasource.into()], |_| Ok(()))?;
    if unmarked.is_some() {
        drop_all(session, datasource)?;
        return Ok(true);
    }
    let stale = "SELECT hour FROM value_rollups WHERE datasource_id = ?1 AND is_stale = 1 ORDER BY hour LIMIT ?2";
    let binds = [datasource.into(), STALE_HOURS_PER_WRITE.into()];
    let stale = session.all(stale, &binds, |row| present(row.int(0)?))?;
    for hour in &stale {
        aggregate(session, datasource, *hour..*hour + HOUR)?;
    }
    if !stale.is_empty() {
        return Ok(true);
    }
    let Some((first, later)) = first_after_watermark(session, datasource, end)? else {
        return Ok(false);
    };
    // An hour is aggregated as a whole.
    let end = later.map_or(end, |later| hour_of(later).max(first + HOUR).min(end));
    aggregate(session, datasource, first..end)?;
    session.execute_deferred(
        "UPDATE datasources SET rolled_up_until = ?2 WHERE id = ?1",
        &[datasource.into(), end.into()],
    )?;
    Ok(true)
}

/// The first hour from the watermark to `end` that has values, if there is one, and the date of the value
/// that is [`VALUES_PER_WRITE`] further, if there are as many.
fn first_after_watermark(
    session: &mut dyn Session,
    datasource: i32,
    end: i64,
) -> Result<Option<(i64, Option<i64>)>, StoreError> {
    let sql = "SELECT v.value_date FROM datasources AS d JOIN datasource_values AS v ON v.datasource_id = d.id
        WHERE d.id = ?1 AND v.value_date >= d.rolled_up_until AND v.value_date < ?2
        ORDER BY v.value_date LIMIT 1 OFFSET ?3";
    let mut date = |offset: i64| {
        let binds = [datasource.into(), end.into(), offset.into()];
        session.first(sql, &binds, |row| present(row.int(0)?))
    };
    let Some(first) = date(0)? else {
        return Ok(None);
    };
    Ok(Some((hour_of(first), date(VALUES_PER_WRITE)?)))
}

/// Makes the rollups of some hours from their values.
fn aggregate(
    session: &mut dyn Session,
    datasource: i32,
    hours: Range<i64>,
) -> Result<(), StoreError> {
    let binds = [datasource.into(), hours.start.into(), hours.end.into()];
    session.execute_deferred(
        "DELETE FROM value_rollups WHERE datasource_id = ?1 AND hour >= ?2 AND hour < ?3",
        &binds,
    )?;
    let sql = format!(
        "INSERT INTO value_rollups (datasource_id, hour, row_count, value_count, total, least, greatest)
            SELECT v.datasource_id, {HOUR_OF_VALUE}, {}
            FROM datasource_values AS v WHERE v.datasource_id = ?1 AND v.value_date >= ?2 AND v.value_date < ?3
            GROUP BY 1, 2",
        aggregates(session)
    );
    session.execute_deferred(&sql, &binds)
}

/// The columns of a rollup after its key, over values `v`.
fn aggregates(session: &dyn Session) -> String {
    format!(
        "count(*), count(v.value), {}, min(v.value + 0.0), max(v.value + 0.0)",
        session.dialect().of_queries().partial_sum("v.value")
    )
}

/// The start of the hour of an instant (ticks).
fn hour_of(ticks: i64) -> i64 {
    ticks - ticks.rem_euclid(HOUR)
}
