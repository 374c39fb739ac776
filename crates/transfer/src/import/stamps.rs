//! Which stamps an import's records get: their own where that can harm nobody, and otherwise the import's.
//!
//! Whoever keeps a copy asks for what has a later stamp than the last it saw. So a record may only come into
//! sight with a stamp that is later than every one given out before; a store that has given none takes any.

use obeya_model::Timestamp;

use super::error::{ImportError, Location};
use super::run::Turn;
use obeya_store::engine::{Session, StoreError};
use obeya_store::stamp;

/// How far ahead of this machine's clock a stamp may be: clocks differ, and every later stamp has to be later
/// than this one.
const AHEAD: i64 = 86_400 * 10_000_000;

/// The stamps of one import. Made and ended within its transaction, which has the writers' turn.
#[derive(Debug)]
pub(super) struct Stamps {
    /// The last one given out before; `None` if there was none.
    given: Option<i64>,
    /// What this import gives where a record cannot keep its own.
    own: i64,
    /// The latest that a record may bring.
    latest: i64,
    /// The latest that a record got.
    highest: Option<i64>,
}

impl Stamps {
    /// Those of an import that begins `now` (100 ns ticks).
    pub(super) fn begin(session: &mut dyn Session, now: i64) -> Result<Self, StoreError> {
        let given = stamp::last(session)?;
        Ok(Self {
            given,
            own: given.map_or(now, |given| now.max(given.saturating_add(1))),
            latest: now.saturating_add(AHEAD),
            highest: None,
        })
    }

    /// The stamp of a record. `told` is its line's, `guessed` what stands in where the line has none.
    ///
    /// What takes the place of another record is a change of now, whatever its line says.
    pub(super) fn of(
        &mut self,
        location: Location<'_>,
        field: &str,
        turn: Turn,
        told: Option<Timestamp>,
        guessed: i64,
    ) -> Result<i64, ImportError> {
        let stamp = match told {
            Some(told) => self.checked(location, field, told)?,
            // Plans are dated ahead; a change is not.
            None => guessed.min(self.own),
        };
        let is_late = self.given.is_none_or(|given| stamp > given);
        Ok(match turn {
            Turn::Insert if is_late => self.note(stamp),
            _ => self.own(),
        })
    }

    /// The import's own stamp, for a record that it changes without a line of the record's own.
    pub(super) fn own(&mut self) -> i64 {
        self.note(self.own)
    }

    /// Takes in a stamp that was given out elsewhere: later ones are later than that.
    pub(super) fn pass(
        &mut self,
        location: Location<'_>,
        field: &str,
        told: Timestamp,
    ) -> Result<(), ImportError> {
        let stamp = self.checked(location, field, told)?;
        self.note(stamp);
        Ok(())
    }

    /// Lets later writes give later stamps.
    pub(super) fn end(&self, session: &mut dyn Session) -> Result<(), StoreError> {
        match self.highest {
            // Before 1970 there are no ticks, but that one was given out must be known.
            Some(highest) => stamp::raise(session, highest.max(1)),
            None => Ok(()),
        }
    }

    fn note(&mut self, stamp: i64) -> i64 {
        self.highest = self.highest.max(Some(stamp));
        stamp
    }

    fn checked(
        &self,
        location: Location<'_>,
        field: &str,
        told: Timestamp,
    ) -> Result<i64, ImportError> {
        if told.ticks() > self.latest {
            let expected = "at most a day after now, as every later change has to have a later one";
            return Err(location.fault(field, told, expected));
        }
        Ok(told.ticks())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_000_000;
    const LOCATION: Location<'_> = Location {
        file: "x.jsonl",
        line: 1,
    };

    fn stamps(given: Option<i64>) -> Stamps {
        Stamps {
            given,
            own: given.map_or(NOW, |given| NOW.max(given + 1)),
            latest: NOW + AHEAD,
            highest: None,
        }
    }

    fn at(ticks: i64) -> Option<Timestamp> {
        Timestamp::from_ticks(ticks)
    }

    #[track_caller]
    fn check(given: Option<i64>, turn: Turn, told: Option<i64>, guessed: i64, expected: i64) {
        let mut stamps = stamps(given);
        let told = told.and_then(at);
        let stamp = stamps.of(LOCATION, "lastModified", turn, told, guessed);
        assert_eq!(stamp.expect("a stamp"), expected);
        assert_eq!(stamps.highest, Some(expected));
    }

    #[test]
    fn a_store_that_has_given_none_takes_any() {
        check(None, Turn::Insert, Some(-5), 0, -5);
        check(None, Turn::Insert, Some(NOW + AHEAD), 0, NOW + AHEAD);
        check(None, Turn::Insert, None, 7, 7);
    }

    #[test]
    fn a_stamp_is_kept_if_it_is_later_than_every_one_given_out() {
        check(Some(500), Turn::Insert, Some(501), 0, 501);
        check(Some(500), Turn::Insert, Some(500), 0, NOW);
        check(Some(500), Turn::Insert, Some(499), 0, NOW);
        check(Some(500), Turn::Insert, None, 499, NOW);
        // The clock is behind what was given out.
        check(Some(NOW + 9), Turn::Insert, Some(1), 0, NOW + 10);
    }

    #[test]
    fn what_replaces_a_record_is_a_change_of_now() {
        check(Some(500), Turn::Replace, Some(501), 0, NOW);
        check(None, Turn::Replace, Some(501), 0, NOW);
    }

    #[test]
    fn a_guess_is_never_ahead_and_what_is_told_at_most_a_day() {
        check(None, Turn::Insert, None, NOW + 1, NOW);
        let told = at(NOW + AHEAD + 1);
        let fault = stamps(None).of(LOCATION, "lastModified", Turn::Insert, told, 0);
        assert_eq!(
            fault.expect_err("a fault").to_string(),
            "x.jsonl, line 1, field lastModified: found 1970-01-02T00:00:00.1000001Z, \
             expected at most a day after now, as every later change has to have a later one"
        );
    }
}
