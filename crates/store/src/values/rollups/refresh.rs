//! Makes rollups, in the background. Other writes wait for each step, so that each is short.

use std::ops::Range;

use super::{
    DAY, DAY_OF_ROLLUP, HOUR, HOUR_OF_VALUE, aggregates, combined, day_of, drop_all, hour_of,
};
use crate::engine::present;
use crate::{Session, Store, StoreError};

/// Values that one write aggregates, unless an hour has more, so that other writes do not wait for long.
const VALUES_PER_WRITE: i64 = 20_000;
/// Stale rollups that one write refreshes.
const STALE_HOURS_PER_WRITE: i64 = 24;
/// Days that one write makes from their hours.
const DAYS_PER_WRITE: i64 = 400;
/// Writes for a datasource in one refresh: its rollups may become stale again as fast.
const MOST_ROUNDS: usize = 500;

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

/// The datasources that [`refresh`] changes.
fn due_datasources(session: &mut dyn Session, end: i64) -> Result<Vec<i32>, StoreError> {
    let sql = format!(
        "SELECT d.id FROM datasources AS d
        WHERE d.marked_counter <> d.change_counter
            OR EXISTS (SELECT 1 FROM value_rollups AS r WHERE r.datasource_id = d.id AND r.is_stale = 1)
            OR EXISTS (SELECT 1 FROM value_day_rollups AS r WHERE r.datasource_id = d.id AND r.is_stale = 1)
            OR EXISTS (SELECT 1 FROM value_rollups AS r WHERE r.datasource_id = d.id
                AND r.hour >= d.days_rolled_up_until AND {DAY_OF_ROLLUP} + {DAY} <= d.rolled_up_until)
            OR EXISTS (SELECT 1 FROM datasource_values AS v
                WHERE v.datasource_id = d.id AND v.value_date >= d.rolled_up_until AND v.value_date < ?1)
        ORDER BY d.id"
    );
    session.all(&sql, &[end.into()], |row| present(row.int32(0)?))
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
        return refresh_days(session, datasource);
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

/// Refreshes the stale days of a datasource without stale hours, and makes those after the watermark of days;
/// returns false if there was nothing to do.
fn refresh_days(session: &mut dyn Session, datasource: i32) -> Result<bool, StoreError> {
    let stale = "SELECT day FROM value_day_rollups WHERE datasource_id = ?1 AND is_stale = 1 ORDER BY day LIMIT ?2";
    let binds = [datasource.into(), DAYS_PER_WRITE.into()];
    let stale = session.all(stale, &binds, |row| present(row.int(0)?))?;
    for day in &stale {
        combine(session, datasource, *day..*day + DAY)?;
    }
    if !stale.is_empty() {
        return Ok(true);
    }
    let next = "SELECT min(r.hour), max(d.rolled_up_until)
        FROM datasources AS d JOIN value_rollups AS r ON r.datasource_id = d.id
        WHERE d.id = ?1 AND r.hour >= d.days_rolled_up_until";
    let next = session.first(next, &[datasource.into()], |row| {
        Ok(row.int(0)?.zip(row.int(1)?))
    })?;
    let Some((first, until)) = next.flatten() else {
        return Ok(false);
    };
    let first = day_of(first);
    let end = day_of(until).min(first + DAYS_PER_WRITE * DAY);
    if first >= end {
        return Ok(false);
    }
    combine(session, datasource, first..end)?;
    session.execute_deferred(
        "UPDATE datasources SET days_rolled_up_until = ?2 WHERE id = ?1",
        &[datasource.into(), end.into()],
    )?;
    Ok(true)
}

/// Makes the rollups of some days from those of their hours, of which none is stale.
fn combine(session: &mut dyn Session, datasource: i32, days: Range<i64>) -> Result<(), StoreError> {
    let binds = [datasource.into(), days.start.into(), days.end.into()];
    session.execute_deferred(
        "DELETE FROM value_day_rollups WHERE datasource_id = ?1 AND day >= ?2 AND day < ?3",
        &binds,
    )?;
    let sql = format!(
        "INSERT INTO value_day_rollups (datasource_id, day, row_count, value_count, total, least, greatest)
            SELECT r.datasource_id, {DAY_OF_ROLLUP}, {}
            FROM value_rollups AS r WHERE r.datasource_id = ?1 AND r.hour >= ?2 AND r.hour < ?3
            GROUP BY 1, 2",
        combined(session)
    );
    session.execute_deferred(&sql, &binds)
}
