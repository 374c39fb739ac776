//! How far a list in the order of dates was given out.
//!
//! The cursor is the last date and the ids given out at it. Dates are whole microseconds, because Arrow
//! columns hold no more; records within one are told apart by their ids.

use std::cmp::Ordering;

use obeya_model::Timestamp;

use super::Lost;

/// 100 ns ticks in a microsecond.
const TICKS: i64 = 10;

/// Which dates come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Ascending,
    Descending,
}

/// The last date given out.
#[derive(Debug)]
pub(crate) struct DateCursor {
    direction: Direction,
    /// What matches changes by itself, so that no page fits to another.
    always_changes: bool,
    /// Microseconds since 1970; `None` before the first record.
    date: Option<i64>,
    /// Given out at that date, sorted.
    ids: Vec<i32>,
    rest: Rest,
    /// A pass was given up before.
    resumed: bool,
    /// A record came after one that it should come before.
    out_of_order: bool,
}

/// Which records are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// Those of the date that were not given out, and those beyond it.
    From,
    /// Those of the date, in the order of ids and after this one. For a date with more records than a page
    /// holds: its first page has none that is new.
    Within(Option<i32>),
    /// Those beyond the date.
    Beyond,
}

/// What another pass asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Only records dated after this instant; itself excluded.
    pub(crate) after: Option<Timestamp>,
    /// Only records dated before this instant; itself excluded.
    pub(crate) before: Option<Timestamp>,
    /// By ids, and only those after this one if there is one.
    pub(crate) by_id: Option<Option<i32>>,
}

impl DateCursor {
    /// Before the first record. `always_changes` says that what matches changes by itself, without a change
    /// of the list.
    pub(crate) fn new(direction: Direction, always_changes: bool) -> Self {
        Self {
            direction,
            always_changes,
            date: None,
            ids: Vec::new(),
            rest: Rest::From,
            resumed: false,
            out_of_order: false,
        }
    }

    /// What is left, as bounds of a request.
    pub(crate) fn bounds(&self) -> Bounds {
        use Direction::{Ascending, Descending};
        let (mut after, mut before, mut by_id) = (None, None, None);
        if let Some(date) = self.date {
            let (first, end) = (date * TICKS, (date + 1) * TICKS);
            match (self.rest, self.direction) {
                (Rest::From, Ascending) => after = Some(first - 1),
                (Rest::From, Descending) => before = Some(end),
                (Rest::Beyond, Ascending) => after = Some(end - 1),
                (Rest::Beyond, Descending) => before = Some(first),
                (Rest::Within(last), _) => {
                    (after, before) = (Some(first - 1), Some(end));
                    by_id = Some(last);
                }
            }
        }
        Bounds {
            // Beyond the first and the last instant there is nothing to leave out.
            after: after.and_then(Timestamp::from_ticks),
            before: before.and_then(Timestamp::from_ticks),
            by_id,
        }
    }

    /// Takes the next record; `false` if it was given out before.
    pub(crate) fn take(&mut self, date: i64, id: i32) -> bool {
        if let Rest::Within(last) = &mut self.rest {
            self.out_of_order |= last.is_some_and(|last| id <= last);
            *last = Some(id);
            return self.take_id(id);
        }
        let order = self.date.map(|here| match self.direction {
            Direction::Ascending => date.cmp(&here),
            Direction::Descending => here.cmp(&date),
        });
        match order {
            Some(Ordering::Less) => {
                self.out_of_order = true;
                // A service that does not keep to the bounds gives these again; in the first pass they are
                // new.
                !self.resumed
            }
            Some(Ordering::Equal) => self.take_id(id),
            Some(Ordering::Greater) | None => {
                self.date = Some(date);
                self.ids.clear();
                self.ids.push(id);
                self.rest = Rest::From;
                true
            }
        }
    }

    fn take_id(&mut self, id: i32) -> bool {
        match self.ids.binary_search(&id) {
            Ok(_) => false,
            Err(place) => {
                self.ids.insert(place, id);
                true
            }
        }
    }

    pub(super) fn restart(&mut self, delivered: bool) -> Result<(), Lost> {
        if self.out_of_order {
            return Err(Lost);
        }
        self.resumed = true;
        if !delivered && self.date.is_some() && self.rest == Rest::From {
            self.rest = Rest::Within(None);
        }
        Ok(())
    }

    pub(super) fn finish(&mut self) -> bool {
        let within = matches!(self.rest, Rest::Within(_));
        if within {
            self.rest = Rest::Beyond;
        }
        within
    }

    /// Whether only the first page of a pass can be used.
    pub(super) fn reads_single_pages(&self) -> bool {
        self.always_changes || matches!(self.rest, Rest::Within(_))
    }

    /// Whether the last date does not say what is left.
    pub(super) fn is_out_of_order(&self) -> bool {
        self.resumed && self.out_of_order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: &str = "2026-03-02T12:00:00Z";

    fn at(text: &str) -> Option<Timestamp> {
        Some(text.parse().unwrap())
    }

    fn noon() -> i64 {
        NOON.parse::<Timestamp>().unwrap().ticks() / TICKS
    }

    fn bounds(after: Option<Timestamp>, before: Option<Timestamp>) -> Bounds {
        Bounds {
            after,
            before,
            by_id: None,
        }
    }

    #[test]
    fn what_is_left_begins_within_the_last_microsecond() {
        let mut cursor = DateCursor::new(Direction::Ascending, false);
        assert_eq!(cursor.bounds(), bounds(None, None));
        assert!(cursor.take(noon(), 10));
        // Ticks within a microsecond are not seen: a smaller id may come later.
        assert!(cursor.take(noon(), 3));
        assert!(!cursor.take(noon(), 10));
        let before_noon = at("2026-03-02T11:59:59.9999999Z");
        assert_eq!(cursor.bounds(), bounds(before_noon, None));

        let mut cursor = DateCursor::new(Direction::Descending, false);
        assert!(cursor.take(noon(), 10));
        let after_noon = at("2026-03-02T12:00:00.000001Z");
        assert_eq!(cursor.bounds(), bounds(None, after_noon));
        assert!(cursor.take(noon() - 1, 11));
        assert_eq!(cursor.bounds(), bounds(None, at(NOON)));
    }

    #[test]
    fn a_pass_without_anything_new_is_followed_by_one_within_the_microsecond() {
        let mut cursor = DateCursor::new(Direction::Ascending, false);
        assert!(cursor.take(noon(), 5));
        cursor.restart(true).unwrap();
        assert!(!cursor.reads_single_pages());
        cursor.restart(false).unwrap();
        assert!(cursor.reads_single_pages());
        let within = Bounds {
            by_id: Some(None),
            ..bounds(
                at("2026-03-02T11:59:59.9999999Z"),
                at("2026-03-02T12:00:00.000001Z"),
            )
        };
        assert_eq!(cursor.bounds(), within);
        assert!(!cursor.take(noon(), 5));
        assert!(cursor.take(noon(), 8));
        let by_id = Some(Some(8));
        assert_eq!(cursor.bounds(), Bounds { by_id, ..within });
        assert!(cursor.finish());
        let end = at("2026-03-02T12:00:00.0000009Z");
        assert_eq!(cursor.bounds(), bounds(end, None));
        assert!(cursor.take(noon() + 1, 2));
        assert!(!cursor.finish());
    }

    #[test]
    fn records_out_of_order_are_given_until_the_list_changes() {
        let mut cursor = DateCursor::new(Direction::Ascending, false);
        assert!(cursor.take(noon(), 5));
        assert!(cursor.take(noon() - 1, 6));
        assert!(!cursor.is_out_of_order());
        cursor.restart(true).unwrap_err();
    }

    #[test]
    fn at_the_first_instant_there_is_no_bound() {
        let mut cursor = DateCursor::new(Direction::Ascending, false);
        assert!(cursor.take(Timestamp::MIN.ticks().div_euclid(TICKS), 1));
        assert_eq!(cursor.bounds(), bounds(None, None));
    }
}
