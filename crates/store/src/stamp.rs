//! The stamps of `last_modified` and of values' `registration_date`: each is later than every one before,
//! whatever the clock does.
//!
//! A reader that asks for what changed after the last stamp it saw must miss nothing, so two commits never
//! share a stamp and a later commit never has an earlier one. Only one transaction writes at a time, over all
//! processes: SQLite locks the file, and on PostgreSQL a writer locks this table from BEGIN to COMMIT. So
//! what is read here stays as it is until the commit, and a stamp is a SELECT and an UPDATE. Whoever brings
//! stamps along, as an import does, brings later ones only ([`last`]) and says which was the latest
//! ([`raise`]).

use super::{Session, StoreError};

const LAST: &str = "SELECT last FROM stamps WHERE id = 1";

/// Prefetches what [`next`] reads. It takes no stamp: a write that turns out to change nothing leaves none
/// behind.
///
/// # Errors
/// What the engine says, here and below.
pub fn prefetch(session: &mut dyn Session) -> Result<(), StoreError> {
    session.prefetch(LAST, &[])
}

/// Takes the next stamp: `now` (100 ns ticks), or just after the last one given out if the clock has not
/// passed it.
///
/// `floor` is the record's present stamp, and what is given is later than that too. Nobody of ours gives a
/// record a later stamp than the last one given out; where somebody else did, all stamps go on from there.
///
/// # Errors
/// What the engine says.
pub fn next(session: &mut dyn Session, now: i64, floor: i64) -> Result<i64, StoreError> {
    let after = given(session)?.max(floor).saturating_add(1);
    let next = now.max(after);
    raise(session, next)?;
    Ok(next)
}

/// The last stamp given out; `None` before the first.
pub fn last(session: &mut dyn Session) -> Result<Option<i64>, StoreError> {
    let last = given(session)?;
    Ok((last != 0).then_some(last))
}

/// The last stamp given out; 0 before the first.
fn given(session: &mut dyn Session) -> Result<i64, StoreError> {
    let last = session.first(LAST, &[], |row| row.int(0))?;
    last.flatten().ok_or_else(empty)
}

/// Makes every later stamp later than this one, too.
pub fn raise(session: &mut dyn Session, stamp: i64) -> Result<(), StoreError> {
    let sql = "UPDATE stamps SET last = ?1 WHERE id = 1 AND last < ?1";
    session.execute_deferred(sql, &[stamp.into()])
}

fn empty() -> StoreError {
    StoreError::Schema("the table of stamps is empty".into())
}
