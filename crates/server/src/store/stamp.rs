//! The stamps of `last_modified`: each is later than every one before, whatever the clock does.
//!
//! A reader that asks for what changed after the last stamp it saw must miss nothing, so two commits never share a stamp and a later commit never has an
//! earlier one. The row that is updated makes every engine keep that order, also between processes.

use super::{Session, StoreError};

const NEXT: &str = "UPDATE stamps SET last = CASE WHEN last >= ?1 THEN last + 1 ELSE ?1 END WHERE id = 1 RETURNING last";

/// Says that the next stamp will be taken ([`next`]), unless the write is refused before and undone.
///
/// # Errors
/// What the engine says, here and below.
pub(crate) fn announce(session: &mut dyn Session, now: i64) -> Result<(), StoreError> {
    session.announce(NEXT, &[now.into()])
}

/// Takes the next stamp: `now` (100 ns ticks), or just after the last one given out if the clock has not passed it.
///
/// `floor` is the record's present stamp, and what is given is later than that too. An import may have set it into the future; that stays the matter of
/// this one record.
///
/// # Errors
/// What the engine says.
pub fn next(session: &mut dyn Session, now: i64, floor: i64) -> Result<i64, StoreError> {
    let last = session.first(NEXT, &[now.into()], |row| row.int(0))?;
    let last = last
        .flatten()
        .ok_or_else(|| StoreError::Schema("the table of stamps is empty".into()))?;
    Ok(last.max(floor.saturating_add(1)))
}
