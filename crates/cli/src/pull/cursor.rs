//! The keyset cursor of a pull of values by date: where the next request continues.
//!
//! The cursor is the last date and the ids seen at it, not a page number: pages shift when values before them
//! are added or removed. Dates are whole microseconds, the precision of columns; ids distinguish the values
//! within a microsecond.

use obeya::model::Timestamp;

use super::resume_state::ResumeAfter;

/// 100 ns ticks in a microsecond.
const TICKS: i64 = 10;

/// The position of the last value.
#[derive(Clone, Debug, Default)]
pub(crate) struct DateCursor {
    /// Microseconds since 1970-01-01T00:00Z.
    date: Option<i64>,
    /// The ids seen at that date, ascending.
    ids: Vec<i32>,
    /// All values of that date have been read.
    is_exhausted: bool,
}

/// The position of a value relative to the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// After the cursor: not seen before.
    New,
    /// Seen before.
    Duplicate,
    /// Before the cursor.
    OutOfOrder,
}

impl DateCursor {
    pub(crate) fn from_resume(after: Option<&ResumeAfter>) -> Self {
        match after {
            Some(ResumeAfter::Date { date, ids }) => Self {
                date: Some(micros(*date)),
                ids: ids.clone(),
                is_exhausted: false,
            },
            _ => Self::default(),
        }
    }

    /// Moves the cursor to a value, if that value is new.
    pub(crate) fn advance(&mut self, date: i64, id: i32) -> Step {
        match self.date {
            Some(here) if date < here => Step::OutOfOrder,
            Some(here) if date == here => match self.ids.binary_search(&id) {
                Ok(_) => Step::Duplicate,
                Err(index) => {
                    self.ids.insert(index, id);
                    Step::New
                }
            },
            _ => {
                self.date = Some(date);
                self.is_exhausted = false;
                self.ids.clear();
                self.ids.push(id);
                Step::New
            }
        }
    }

    /// The cursor as the resume state stores it.
    pub(crate) fn resume_after(&self) -> Option<ResumeAfter> {
        let date = Timestamp::from_ticks(self.date? * TICKS)?;
        let ids = self.ids.clone();
        Some(ResumeAfter::Date { date, ids })
    }

    /// The first instant after the cursor's microsecond.
    pub(crate) fn next_instant(&self) -> Option<Timestamp> {
        Timestamp::from_ticks((self.date? + 1) * TICKS)
    }

    /// Moves past the cursor's date: all its values have been read.
    pub(crate) fn skip_instant(&mut self) {
        self.is_exhausted = true;
    }

    /// The exclusive lower bound of the next request; `from` is the first instant the user wants.
    pub(crate) fn lower_bound(&self, from: Option<Timestamp>) -> Option<Timestamp> {
        let here = match self.is_exhausted {
            true => self.next_instant(),
            false => self
                .date
                .and_then(|date| Timestamp::from_ticks(date * TICKS)),
        };
        let first = from.max(here)?;
        // `None` below the first possible instant: then nothing needs to be excluded.
        Timestamp::from_ticks(first.ticks() - 1)
    }
}

/// An instant in whole microseconds, rounded down.
pub(crate) fn micros(instant: Timestamp) -> i64 {
    instant.ticks().div_euclid(TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn values_of_one_instant_are_told_apart_by_their_ids() {
        let mut cursor = DateCursor::default();
        assert_eq!(cursor.advance(5, 10), Step::New);
        // Within a microsecond, a later tick may have a smaller id.
        assert_eq!(cursor.advance(5, 3), Step::New);
        assert_eq!(cursor.advance(5, 10), Step::Duplicate);
        assert_eq!(cursor.advance(4, 11), Step::OutOfOrder);
        assert_eq!(cursor.advance(6, 1), Step::New);
        assert_eq!(cursor.advance(5, 12), Step::OutOfOrder);
        assert_eq!(cursor.advance(6, 1), Step::Duplicate);
    }

    #[test]
    fn it_goes_on_from_the_microsecond_it_has_come_to() {
        let mut cursor = DateCursor::default();
        let from = instant("2026-01-01T00:00:00Z");
        assert_eq!(cursor.lower_bound(None), None);
        // The service excludes the bound itself.
        assert_eq!(
            cursor.lower_bound(Some(from)),
            Some(instant("2025-12-31T23:59:59.9999999Z"))
        );
        let seen = instant("2026-03-02T06:12:00.0312345Z");
        cursor.advance(micros(seen), 7);
        assert_eq!(
            cursor.lower_bound(Some(from)),
            Some(instant("2026-03-02T06:12:00.0312339Z"))
        );
        let later = instant("2027-01-01T00:00:00Z");
        assert_eq!(
            cursor.lower_bound(Some(later)),
            Some(instant("2026-12-31T23:59:59.9999999Z"))
        );
        let after = cursor.resume_after();
        let mut restored = DateCursor::from_resume(after.as_ref());
        assert_eq!(restored.advance(micros(seen), 7), Step::Duplicate);
        assert_eq!(restored.advance(micros(seen), 6), Step::New);
    }

    #[test]
    fn past_its_microsecond_it_goes_on_with_the_next() {
        let mut cursor = DateCursor::default();
        let seen = instant("2026-03-02T06:12:00.0312345Z");
        cursor.advance(micros(seen), 7);
        assert_eq!(
            cursor.next_instant(),
            Some(instant("2026-03-02T06:12:00.031235Z"))
        );
        cursor.skip_instant();
        assert_eq!(
            cursor.lower_bound(None),
            Some(instant("2026-03-02T06:12:00.0312349Z"))
        );
        // A resumed pull looks at that microsecond once more.
        let after = cursor.resume_after();
        assert_eq!(
            DateCursor::from_resume(after.as_ref()).lower_bound(None),
            Some(instant("2026-03-02T06:12:00.0312339Z"))
        );
        assert_eq!(cursor.advance(micros(seen) + 1, 3), Step::New);
        assert_eq!(
            cursor.lower_bound(None),
            Some(instant("2026-03-02T06:12:00.0312349Z"))
        );
        cursor.advance(micros(seen) + 2, 3);
        assert_eq!(
            cursor.lower_bound(None),
            Some(instant("2026-03-02T06:12:00.0312359Z"))
        );
    }

    #[test]
    fn before_the_first_instant_there_is_no_bound() {
        assert_eq!(
            DateCursor::default().lower_bound(Some(Timestamp::MIN)),
            None
        );
        let mut cursor = DateCursor::default();
        cursor.advance(micros(instant("1969-12-31T23:59:59.9999999Z")), 1);
        assert_eq!(
            cursor.lower_bound(None),
            Some(instant("1969-12-31T23:59:59.9999989Z"))
        );
    }
}
