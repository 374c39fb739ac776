//! The keyset cursor of a list in the order of dates.
//!
//! The cursor is the last date and the ids yielded at it. Dates are whole microseconds, the precision of
//! Arrow columns; ids distinguish the records within a microsecond.

use std::cmp::Ordering;

use obeya_model::Timestamp;

use super::CursorLost;
use crate::value_position::ValuePosition;

/// 100 ns ticks in a microsecond.
const TICKS: i64 = 10;

/// The direction of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Ascending,
    Descending,
}

/// The last date yielded, and the ids at it.
#[derive(Debug)]
pub(crate) struct DateCursor {
    direction: Direction,
    /// The result changes with time (`now()`), so no two pages are consistent.
    always_changes: bool,
    /// Microseconds since 1970; `None` before the first record.
    date: Option<i64>,
    /// The ids yielded at that date, sorted.
    ids: Vec<i32>,
    remaining: Remaining,
    /// An earlier pass was abandoned.
    resumed: bool,
    /// A record came before one that it should follow.
    out_of_order: bool,
}

/// Which records remain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remaining {
    /// Those of the date that were not yielded, and those after it.
    FromDate,
    /// Those of the date, in the order of ids, after this one. For a date with more records than a page,
    /// whose first page has no new ones.
    AtDateById(Option<i32>),
    /// Those after the date.
    BeyondDate,
}

/// The bounds of the next pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Exclusive lower bound.
    pub(crate) after: Option<Timestamp>,
    /// Exclusive upper bound.
    pub(crate) before: Option<Timestamp>,
    /// Ordered by id, after this one if there is one.
    pub(crate) by_id: Option<Option<i32>>,
}

impl DateCursor {
    /// A cursor before the first record. `always_changes`: the result changes with time, without a change of
    /// the list.
    pub(crate) fn new(direction: Direction, always_changes: bool) -> Self {
        Self {
            direction,
            always_changes,
            date: None,
            ids: Vec::new(),
            remaining: Remaining::FromDate,
            resumed: false,
            out_of_order: false,
        }
    }

    /// Moves a new cursor to where an earlier stream ended.
    pub(crate) fn resume(&mut self, position: &ValuePosition) {
        self.date = Some(micros(position.date));
        self.ids.clone_from(&position.ids);
        self.ids.sort_unstable();
        self.resumed = true;
    }

    /// Where another stream can continue; `None` before the first record, and if a record came out of order.
    pub(crate) fn position(&self) -> Option<ValuePosition> {
        let date = self.date.filter(|_| !self.out_of_order)?;
        Some(ValuePosition {
            date: Timestamp::from_ticks(date * TICKS)?,
            ids: self.ids.clone(),
        })
    }

    /// How many records that were yielded the next pass may show again.
    pub(super) fn repeated(&self) -> usize {
        self.ids.len()
    }

    /// The bounds of a request for the remaining records.
    pub(crate) fn bounds(&self) -> Bounds {
        use Direction::{Ascending, Descending};
        let (mut after, mut before, mut by_id) = (None, None, None);
        if let Some(date) = self.date {
            let (first, end) = (date * TICKS, (date + 1) * TICKS);
            match (self.remaining, self.direction) {
                (Remaining::FromDate, Ascending) => after = Some(first - 1),
                (Remaining::FromDate, Descending) => before = Some(end),
                (Remaining::BeyondDate, Ascending) => after = Some(end - 1),
                (Remaining::BeyondDate, Descending) => before = Some(first),
                (Remaining::AtDateById(last), _) => {
                    (after, before) = (Some(first - 1), Some(end));
                    by_id = Some(last);
                }
            }
        }
        Bounds {
            // Outside the range of instants there is nothing to exclude.
            after: after.and_then(Timestamp::from_ticks),
            before: before.and_then(Timestamp::from_ticks),
            by_id,
        }
    }

    /// Moves the cursor to a record; `false` if it was yielded before.
    pub(crate) fn take(&mut self, date: i64, id: i32) -> bool {
        if let Remaining::AtDateById(last) = &mut self.remaining {
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
                // A service that ignores the bounds sends these again; in the first pass they are new.
                !self.resumed
            }
            Some(Ordering::Equal) => self.take_id(id),
            Some(Ordering::Greater) | None => {
                self.date = Some(date);
                self.ids.clear();
                self.ids.push(id);
                self.remaining = Remaining::FromDate;
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

    pub(super) fn restart(&mut self, delivered: bool) -> Result<(), CursorLost> {
        if self.out_of_order {
            return Err(CursorLost);
        }
        self.resumed = true;
        if !delivered && self.date.is_some() && self.remaining == Remaining::FromDate {
            self.remaining = Remaining::AtDateById(None);
        }
        Ok(())
    }

    pub(super) fn finish(&mut self) -> bool {
        let within = matches!(self.remaining, Remaining::AtDateById(_));
        if within {
            self.remaining = Remaining::BeyondDate;
        }
        within
    }

    /// Whether only the first page of a pass can be used.
    pub(super) fn reads_single_pages(&self) -> bool {
        self.always_changes || matches!(self.remaining, Remaining::AtDateById(_))
    }

    /// Whether the last date does not determine the remaining records.
    pub(super) fn is_out_of_order(&self) -> bool {
        self.resumed && self.out_of_order
    }
}

/// An instant in whole microseconds, as in Arrow columns.
pub(crate) fn micros(instant: Timestamp) -> i64 {
    instant.ticks().div_euclid(TICKS)
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
        // Ticks within a microsecond are invisible: a smaller id may come later.
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
        assert_eq!(cursor.bounds(), bounds(end, None));
        assert_eq!(cursor.position().unwrap().ids, [2]);
        assert!(!cursor.finish());

        let mut cursor = DateCursor::new(Direction::Descending, false);
        assert!(cursor.take(noon(), 5));
        cursor.restart(false).unwrap();
        assert_eq!(cursor.bounds(), within);
        assert!(cursor.finish());
        assert_eq!(cursor.bounds(), bounds(None, at(NOON)));
    }

    #[test]
    fn a_pass_without_anything_new_moves_no_cursor_back() {
        let mut cursor = DateCursor::new(Direction::Ascending, false);
        assert!(cursor.take(noon(), 5));
        cursor.restart(false).unwrap();
        assert!(!cursor.take(noon(), 5));
        cursor.restart(false).unwrap();
        assert_eq!(cursor.bounds().by_id, Some(Some(5)));
        assert!(cursor.finish());
        let beyond = cursor.bounds();
        cursor.restart(false).unwrap();
        assert_eq!(cursor.bounds(), beyond);
    }

    #[test]
    fn a_resumed_cursor_knows_the_ids_in_any_order_and_what_came_before() {
        let mut cursor = DateCursor::new(Direction::Ascending, false);
        cursor.resume(&ValuePosition {
            date: NOON.parse().unwrap(),
            ids: vec![9, 5, 3],
        });
        assert_eq!(cursor.position().unwrap().ids, [3, 5, 9]);
        assert!(!cursor.take(noon(), 3) && !cursor.take(noon(), 9) && cursor.take(noon(), 4));
        assert!(!cursor.take(noon() - 1, 1) && cursor.is_out_of_order());
        assert_eq!(cursor.position(), None);
    }

    #[test]
    fn where_the_result_changes_with_time_a_page_stands_alone() {
        for always_changes in [false, true] {
            let cursor = DateCursor::new(Direction::Ascending, always_changes);
            assert_eq!(cursor.reads_single_pages(), always_changes);
        }
    }

    #[test]
    fn records_out_of_order_are_given_until_the_list_changes() {
        let mut cursor = DateCursor::new(Direction::Ascending, false);
        assert!(cursor.take(noon(), 5));
        assert!(cursor.take(noon() - 1, 6));
        assert!(!cursor.is_out_of_order());
        cursor.restart(true).unwrap_err();
    }

    /// As a service does that ignores the bounds, or the order of ids.
    #[test]
    fn after_a_change_a_record_out_of_order_is_noticed() {
        let mut cursor = DateCursor::new(Direction::Ascending, false);
        assert!(cursor.take(noon(), 5));
        cursor.restart(true).unwrap();
        assert!(!cursor.take(noon() - 1, 6));
        assert!(cursor.is_out_of_order());

        let mut cursor = DateCursor::new(Direction::Ascending, false);
        assert!(cursor.take(noon(), 5));
        cursor.restart(false).unwrap();
        assert!(cursor.take(noon(), 8) && !cursor.is_out_of_order());
        assert!(cursor.take(noon(), 7) && cursor.is_out_of_order());
    }

    #[test]
    fn before_the_first_record_there_is_no_date_to_read_by_id() {
        let mut cursor = DateCursor::new(Direction::Ascending, false);
        cursor.restart(false).unwrap();
        assert!(!cursor.reads_single_pages());
    }

    #[test]
    fn at_the_first_instant_there_is_no_bound() {
        let mut cursor = DateCursor::new(Direction::Ascending, false);
        assert!(cursor.take(Timestamp::MIN.ticks().div_euclid(TICKS), 1));
        assert_eq!(cursor.bounds(), bounds(None, None));
    }
}
