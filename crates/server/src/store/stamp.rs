//! The stamps of `last_modified` and of values' `registration_date`: each is later than every one before, whatever the clock does.
//!
//! A reader that asks for what changed after the last stamp it saw must miss nothing, so two commits never share a stamp and a later commit never has an
//! earlier one. The row that is updated makes every engine keep that order, also between processes. Whoever brings stamps along, as an import does, brings
//! later ones only ([`last`]) and says which was the latest ([`raise`]).

use super::{Dialect, Session, StoreError};

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
/// `floor` is the record's present stamp, and what is given is later than that too. Nobody of ours gives a record a later stamp than the last one given out;
/// where somebody else did, all stamps go on from there.
///
/// # Errors
/// What the engine says.
pub fn next(session: &mut dyn Session, now: i64, floor: i64) -> Result<i64, StoreError> {
    if session.dialect() == Dialect::Sqlite {
        // A statement that gives back what it wrote makes a table for it there, and costs more than two that do not.
        let after = given(session)?.max(floor).saturating_add(1);
        let next = now.max(after);
        raise(session, next)?;
        return Ok(next);
    }
    let last = session.first(NEXT, &[now.into()], |row| row.int(0))?;
    let last = last.flatten().ok_or_else(empty)?;
    if last > floor {
        return Ok(last);
    }
    let after = floor.saturating_add(1);
    raise(session, after)?;
    Ok(after)
}

/// The last stamp given out; `None` before the first.
pub(crate) fn last(session: &mut dyn Session) -> Result<Option<i64>, StoreError> {
    let last = given(session)?;
    Ok((last != 0).then_some(last))
}

/// The last stamp given out; 0 before the first.
fn given(session: &mut dyn Session) -> Result<i64, StoreError> {
    let last = session.first("SELECT last FROM stamps WHERE id = 1", &[], |row| {
        row.int(0)
    })?;
    last.flatten().ok_or_else(empty)
}

/// Makes every later stamp later than this one, too.
pub(crate) fn raise(session: &mut dyn Session, stamp: i64) -> Result<(), StoreError> {
    let sql = "UPDATE stamps SET last = ?1 WHERE id = 1 AND last < ?1";
    session.send(sql, &[stamp.into()])
}

fn empty() -> StoreError {
    StoreError::Schema("the table of stamps is empty".into())
}
