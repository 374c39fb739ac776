//! Marks rollups as stale, in the transactions of those who write values.

use std::collections::BTreeSet;

use super::super::pieces;
use super::{HOUR_OF_VALUE, hour_of};
use crate::engine::Value;
use crate::{Session, StoreError};

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
pub(in crate::values) fn mark_values(
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
