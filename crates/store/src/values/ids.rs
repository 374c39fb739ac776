//! The ids of values: each is above all earlier ones, including imported ones.

use crate::write_error::WriteError;
use crate::{Session, StoreError, sequences};
use obeya_rules::error::DomainError;

const NAME: &str = "datasource_values";
const TAKE: &str = "UPDATE counters SET last = last + ?1 WHERE name = ?2 RETURNING last";

/// Allocates `count` ids; returns the first one. Only a rollback frees them. It changes a row, so it is not
/// prefetched before the values are checked: a refusal would repeat the other writes of its commit.
pub(super) fn take(session: &mut dyn Session, count: usize) -> Result<i32, WriteError> {
    let last = match add(session, count)? {
        Some(last) => last,
        None => begin(session, count)?,
    };
    let (Ok(_), Ok(first)) = (
        i32::try_from(last),
        i32::try_from(last - wide(count).saturating_sub(1)),
    ) else {
        return Err(DomainError::Conflict {
            code: "value.ids_exhausted",
            detail: format!(
                "Ids of values are integers of 32 bits and none is given twice: {count} more would go beyond {}.",
                i32::MAX
            ),
        }
        .into());
    };
    Ok(first)
}

/// Advances the counter, if there is one; returns its value.
fn add(session: &mut dyn Session, count: usize) -> Result<Option<i64>, StoreError> {
    if !session.capabilities().returning_is_cheap() {
        let Some(given) = sequences::counted(session, NAME)? else {
            return Ok(None);
        };
        let last = given.saturating_add(wide(count));
        let sql = "UPDATE counters SET last = ?1 WHERE name = ?2";
        session.execute_deferred(sql, &[last.into(), NAME.into()])?;
        return Ok(Some(last));
    }
    let taken = session.first(TAKE, &[wide(count).into(), NAME.into()], |row| row.int(0))?;
    Ok(taken.flatten())
}

/// Marks the ids up to this one as used, so that none of them is allocated.
pub fn given(session: &mut dyn Session, id: i32) -> Result<(), StoreError> {
    sequences::raise_counter(session, NAME, id.into())
}

/// The largest id that was allocated or is in use; 0 if none is.
pub fn last_id(session: &mut dyn Session) -> Result<i64, StoreError> {
    match sequences::counted(session, NAME)? {
        Some(last) => Ok(last),
        None => largest(session),
    }
}

/// The largest id in use.
fn largest(session: &mut dyn Session) -> Result<i64, StoreError> {
    let largest = session.first("SELECT max(id) FROM datasource_values", &[], |row| {
        row.int(0)
    })?;
    Ok(largest.flatten().unwrap_or(0).max(0))
}

/// The first ids of a database without a counter; it may contain imported values.
fn begin(session: &mut dyn Session, count: usize) -> Result<i64, StoreError> {
    let last = largest(session)? + wide(count);
    let sql = "INSERT INTO counters (name, last) VALUES (?1, ?2)";
    session.execute_deferred(sql, &[NAME.into(), last.into()])?;
    Ok(last)
}

fn wide(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
