//! How far values by date have come, so that another request can go on exactly there.
//!
//! A place is the last date and the ids seen at it, and not the number of a page: pages move when values come
//! and go before them. Dates are whole microseconds, as columns hold no more; values within one are told
//! apart by their ids.

use obeya::model::Timestamp;

use super::state::After;

/// 100 ns ticks in a microsecond.
const TICKS: i64 = 10;

/// The place of the last value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// Microseconds since 1970-01-01T00:00Z.
    date: Option<i64>,
    /// In their order.
    ids: Vec<i32>,
    /// Nothing more is looked for at that date.
    is_over: bool,
}

/// What a value is to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It comes next.
    Next,
    /// It has been there.
    Again,
    /// It belongs before what has been there.
    Back,
}

impl Place {
    pub(crate) fn of(after: Option<&After>) -> Self {
        match after {
            Some(After::Date { date, ids }) => Self {
                date: Some(micros(*date)),
                ids: ids.clone(),
                is_over: false,
            },
            _ => Self::default(),
        }
    }

    /// Takes the next value, unless it is none.
    pub(crate) fn step(&mut self, date: i64, id: i32) -> Step {
        match self.date {
            Some(here) if date < here => Step::Back,
            Some(here) if date == here => match self.ids.binary_search(&id) {
                Ok(_) => Step::Again,
                Err(place) => {
                    self.ids.insert(place, id);
                    Step::Next
                }
            },
            _ => {
                self.date = Some(date);
                self.is_over = false;
                self.ids.clear();
                self.ids.push(id);
                Step::Next
            }
        }
    }

    /// What a state remembers of it.
    pub(crate) fn after(&self) -> Option<After> {
        let date = Timestamp::from_ticks(self.date? * TICKS)?;
        let ids = self.ids.clone();
        Some(After::Date { date, ids })
    }

    /// The first instant after its date.
    pub(crate) fn end(&self) -> Option<Timestamp> {
        Timestamp::from_ticks((self.date? + 1) * TICKS)
    }

    /// Goes past its date: all values of it have been there.
    pub(crate) fn pass(&mut self) {
        self.is_over = true;
    }

    /// The bound, itself excluded, from which a request goes on; `from` is the first instant wanted.
    pub(crate) fn bound(&self, from: Option<Timestamp>) -> Option<Timestamp> {
        let here = match self.is_over {
            true => self.end(),
            false => self
                .date
                .and_then(|date| Timestamp::from_ticks(date * TICKS)),
        };
        let first = from.max(here)?;
        // None before the first instant there is: then nothing is left out.
        Timestamp::from_ticks(first.ticks() - 1)
    }
}

/// The whole microseconds of an instant.
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
        let mut place = Place::default();
        assert_eq!(place.step(5, 10), Step::Next);
        // Within a microsecond, a later tick may have a smaller id.
        assert_eq!(place.step(5, 3), Step::Next);
        assert_eq!(place.step(5, 10), Step::Again);
        assert_eq!(place.step(4, 11), Step::Back);
        assert_eq!(place.step(6, 1), Step::Next);
        assert_eq!(place.step(5, 12), Step::Back);
        assert_eq!(place.step(6, 1), Step::Again);
    }

    #[test]
    fn it_goes_on_from_the_microsecond_it_has_come_to() {
        let mut place = Place::default();
        let from = instant("2026-01-01T00:00:00Z");
        assert_eq!(place.bound(None), None);
        // The service leaves the bound itself out.
        assert_eq!(
            place.bound(Some(from)),
            Some(instant("2025-12-31T23:59:59.9999999Z"))
        );
        let seen = instant("2026-03-02T06:12:00.0312345Z");
        place.step(micros(seen), 7);
        assert_eq!(
            place.bound(Some(from)),
            Some(instant("2026-03-02T06:12:00.0312339Z"))
        );
        let later = instant("2027-01-01T00:00:00Z");
        assert_eq!(
            place.bound(Some(later)),
            Some(instant("2026-12-31T23:59:59.9999999Z"))
        );
        let after = place.after();
        let mut restored = Place::of(after.as_ref());
        assert_eq!(restored.step(micros(seen), 7), Step::Again);
        assert_eq!(restored.step(micros(seen), 6), Step::Next);
    }

    #[test]
    fn past_its_microsecond_it_goes_on_with_the_next() {
        let mut place = Place::default();
        let seen = instant("2026-03-02T06:12:00.0312345Z");
        place.step(micros(seen), 7);
        assert_eq!(place.end(), Some(instant("2026-03-02T06:12:00.031235Z")));
        place.pass();
        assert_eq!(
            place.bound(None),
            Some(instant("2026-03-02T06:12:00.0312349Z"))
        );
        // A pull that goes on later looks there once more.
        let after = place.after();
        assert_eq!(
            Place::of(after.as_ref()).bound(None),
            Some(instant("2026-03-02T06:12:00.0312339Z"))
        );
        assert_eq!(place.step(micros(seen) + 1, 3), Step::Next);
        assert_eq!(
            place.bound(None),
            Some(instant("2026-03-02T06:12:00.0312349Z"))
        );
        place.step(micros(seen) + 2, 3);
        assert_eq!(
            place.bound(None),
            Some(instant("2026-03-02T06:12:00.0312359Z"))
        );
    }

    #[test]
    fn before_the_first_instant_there_is_no_bound() {
        assert_eq!(Place::default().bound(Some(Timestamp::MIN)), None);
        let mut place = Place::default();
        place.step(micros(instant("1969-12-31T23:59:59.9999999Z")), 1);
        assert_eq!(
            place.bound(None),
            Some(instant("1969-12-31T23:59:59.9999989Z"))
        );
    }
}
