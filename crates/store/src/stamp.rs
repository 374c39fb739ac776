//! The stamps of `last_modified` and of values' `registration_date`: each is later than every one before,
//! whatever the clock does.
//!
//! A client that requests changes after its watermark must miss nothing, so two commits never share a stamp
//! and a later commit never has an earlier one. Only one transaction writes at a time, over all processes:
//! SQLite locks the file, and on PostgreSQL a writer locks this table from BEGIN to COMMIT. So the value that
//! is read here does not change until the commit: the jobs of a commit share one SELECT, and one UPDATE
//! before the commit. An import, which has its own stamps, uses later ones only ([`last`]) and records the
//! latest ([`raise`]).

use super::{Session, StoreError};

const LAST: &str = "SELECT last FROM stamps WHERE id = 1";
const RAISE: &str = "UPDATE stamps SET last = ?1 WHERE id = 1 AND last < ?1";

/// Prefetches what [`next`] reads. It issues no stamp: a write that changes nothing needs none.
///
/// # Errors
/// The engine fails, here and below.
pub fn prefetch(session: &mut dyn Session) -> Result<(), StoreError> {
    match session.number_at_commit(RAISE) {
        Some(_) => Ok(()),
        None => session.prefetch(LAST, &[]),
    }
}

/// Issues the next stamp: `now` (100 ns ticks), or just after the last one if the clock has not passed it.
///
/// `floor` is the record's current stamp, and the new one is later than that too. No code of ours stores a
/// later stamp than the last issued one; if another program did, all stamps continue from there.
///
/// # Errors
/// The engine fails.
pub fn next(session: &mut dyn Session, now: i64, floor: i64) -> Result<i64, StoreError> {
    let after = given(session)?.max(floor).saturating_add(1);
    let next = now.max(after);
    session.execute_at_commit(RAISE, next)?;
    Ok(next)
}

/// The last issued stamp; `None` before the first.
pub fn last(session: &mut dyn Session) -> Result<Option<i64>, StoreError> {
    let last = given(session)?;
    Ok((last != 0).then_some(last))
}

/// The last issued stamp; 0 before the first.
fn given(session: &mut dyn Session) -> Result<i64, StoreError> {
    if let Some(last) = session.number_at_commit(RAISE) {
        return Ok(last);
    }
    let last = session.first(LAST, &[], |row| row.int(0))?;
    last.flatten().ok_or_else(empty)
}

/// Makes every later stamp later than this one, too.
pub fn raise(session: &mut dyn Session, stamp: i64) -> Result<(), StoreError> {
    match given(session)? < stamp {
        true => session.execute_at_commit(RAISE, stamp),
        false => Ok(()),
    }
}

fn empty() -> StoreError {
    StoreError::Schema("the table of stamps is empty".into())
}
