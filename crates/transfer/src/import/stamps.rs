//! Stamps of imported records: the one in the line where that is safe, otherwise the stamp of the import.
//!
//! A client that synchronises requests records with a later stamp than its watermark. So a record may only
//! become visible with a stamp later than all issued before; a store that has issued none accepts any.

use obeya_model::Timestamp;

use super::error::{ImportError, Location};
use super::run::LineAction;
use obeya_store::engine::{Session, StoreError};
use obeya_store::stamp;

/// How far a stamp may be in the future: clocks differ, and every later stamp has to be later than this one.
const MAX_CLOCK_SKEW: i64 = 86_400 * 10_000_000;

/// The stamps of one import, used within its transaction, which holds the writers' lock.
#[derive(Debug)]
pub(super) struct Stamps {
    /// The last stamp issued before; `None` if there was none.
    last_issued: Option<i64>,
    /// The stamp of the import, for records whose own is not safe.
    own: i64,
    /// The latest stamp that a line may have.
    latest: i64,
    /// The latest stamp that was assigned.
    highest: Option<i64>,
}

impl Stamps {
    /// The stamps of an import that begins `now` (100 ns ticks).
    pub(super) fn begin(session: &mut dyn Session, now: i64) -> Result<Self, StoreError> {
        let last_issued = stamp::last(session)?;
        Ok(Self {
            last_issued,
            own: last_issued.map_or(now, |last_issued| now.max(last_issued.saturating_add(1))),
            latest: now.saturating_add(MAX_CLOCK_SKEW),
            highest: None,
        })
    }

    /// The stamp of a record. `requested` is the one in its line, `default` is for a line without one.
    ///
    /// A record that replaces another one changes now, whatever its line has.
    pub(super) fn assign(
        &mut self,
        location: Location<'_>,
        field: &str,
        action: LineAction,
        requested: Option<Timestamp>,
        default: i64,
    ) -> Result<i64, ImportError> {
        let stamp = match requested {
            Some(requested) => self.check(location, field, requested)?,
            // Dates of plans may be in the future; a change may not.
            None => default.min(self.own),
        };
        let is_late = self
            .last_issued
            .is_none_or(|last_issued| stamp > last_issued);
        Ok(match action {
            LineAction::Insert if is_late => self.record(stamp),
            _ => self.own(),
        })
    }

    /// The stamp of the import, for a record that changes without a line of its own.
    pub(super) fn own(&mut self) -> i64 {
        self.record(self.own)
    }

    /// Records a stamp that another store issued: later stamps of this store are later than that.
    pub(super) fn observe(
        &mut self,
        location: Location<'_>,
        field: &str,
        requested: Timestamp,
    ) -> Result<(), ImportError> {
        let stamp = self.check(location, field, requested)?;
        self.record(stamp);
        Ok(())
    }

    /// Makes later writes issue later stamps.
    pub(super) fn end(&self, session: &mut dyn Session) -> Result<(), StoreError> {
        match self.highest {
            // Stamps before 1970 are negative, but the store must know that one was issued.
            Some(highest) => stamp::raise(session, highest.max(1)),
            None => Ok(()),
        }
    }

    fn record(&mut self, stamp: i64) -> i64 {
        self.highest = self.highest.max(Some(stamp));
        stamp
    }

    fn check(
        &self,
        location: Location<'_>,
        field: &str,
        requested: Timestamp,
    ) -> Result<i64, ImportError> {
        if requested.ticks() > self.latest {
            let expected = "at most a day after now, as every later change has to have a later one";
            return Err(location.field_error(field, requested, expected));
        }
        Ok(requested.ticks())
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

    fn stamps(last_issued: Option<i64>) -> Stamps {
        Stamps {
            last_issued,
            own: last_issued.map_or(NOW, |last_issued| NOW.max(last_issued + 1)),
            latest: NOW + MAX_CLOCK_SKEW,
            highest: None,
        }
    }

    fn at(ticks: i64) -> Option<Timestamp> {
        Timestamp::from_ticks(ticks)
    }

    #[track_caller]
    fn check(
        last_issued: Option<i64>,
        action: LineAction,
        requested: Option<i64>,
        default: i64,
        expected: i64,
    ) {
        let mut stamps = stamps(last_issued);
        let requested = requested.and_then(at);
        let stamp = stamps.assign(LOCATION, "lastModified", action, requested, default);
        assert_eq!(stamp.expect("a stamp"), expected);
        assert_eq!(stamps.highest, Some(expected));
    }

    #[test]
    fn a_store_that_has_given_none_takes_any() {
        check(None, LineAction::Insert, Some(-5), 0, -5);
        check(
            None,
            LineAction::Insert,
            Some(NOW + MAX_CLOCK_SKEW),
            0,
            NOW + MAX_CLOCK_SKEW,
        );
        check(None, LineAction::Insert, None, 7, 7);
    }

    #[test]
    fn a_stamp_is_kept_if_it_is_later_than_every_one_given_out() {
        check(Some(500), LineAction::Insert, Some(501), 0, 501);
        check(Some(500), LineAction::Insert, Some(500), 0, NOW);
        check(Some(500), LineAction::Insert, Some(499), 0, NOW);
        check(Some(500), LineAction::Insert, None, 499, NOW);
        // The clock is behind the last issued stamp.
        check(Some(NOW + 9), LineAction::Insert, Some(1), 0, NOW + 10);
    }

    #[test]
    fn what_replaces_a_record_is_a_change_of_now() {
        check(Some(500), LineAction::Replace, Some(501), 0, NOW);
        check(None, LineAction::Replace, Some(501), 0, NOW);
    }

    #[test]
    fn a_guess_is_never_ahead_and_what_is_given_at_most_a_day() {
        check(None, LineAction::Insert, None, NOW + 1, NOW);
        let requested = at(NOW + MAX_CLOCK_SKEW + 1);
        let fault = stamps(None).assign(LOCATION, "lastModified", LineAction::Insert, requested, 0);
        assert_eq!(
            fault.expect_err("a fault").to_string(),
            "x.jsonl, line 1, field lastModified: found 1970-01-02T00:00:00.1000001Z, \
             expected at most a day after now, as every later change has to have a later one"
        );
    }
}
