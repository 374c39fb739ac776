//! Columns as the wire's types.

use obeya_model::{Date, Timestamp};

use super::StoreError;
use super::engine::{Row, present};

/// An instant.
pub fn instant(row: &dyn Row, column: usize) -> Result<Option<Timestamp>, StoreError> {
    row.int(column)?.map(timestamp).transpose()
}

/// The instant that a column's ticks are.
pub fn timestamp(ticks: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_ticks(ticks).ok_or_else(|| beyond("instant", ticks))
}

/// An instant of a column that cannot be NULL.
pub fn must_instant(row: &dyn Row, column: usize) -> Result<Timestamp, StoreError> {
    present(instant(row, column)?)
}

/// The date that a column's days are.
pub fn date(days: i32) -> Result<Date, StoreError> {
    Date::from_days(days).ok_or_else(|| beyond("date", days.into()))
}

fn beyond(what: &str, found: i64) -> StoreError {
    StoreError::Engine(format!("a stored {what} is outside the years 0 to 9999: {found}").into())
}
