//! The records yielded from a list in an order of the caller's.
//!
//! Such an order has no cursor, so the next pass reads the whole list and skips the ids already yielded. A
//! list that keeps changing is finished in the order of ids, which is a cursor.

use std::collections::HashSet;

use super::CursorLost;

/// The number of consecutive passes without progress after which the order is given up. Progress is the
/// number of pages, not of new records: a list that grows at its beginning has new ones on each first page,
/// and would never end.
const MAX_IDLE_PASSES: u32 = 10;

/// The ids yielded.
#[derive(Debug, Default)]
pub(crate) struct SeenIds {
    /// Those of the first pass, which needs no look-ups if the pages have a state.
    first: Vec<i32>,
    /// All of them, from the second pass on; without a state, from the first.
    all: Option<HashSet<i32>>,
    /// The most pages that any pass has taken.
    furthest: usize,
    idle_passes: u32,
    /// The result changes with time (`now()`), so no two pages are consistent.
    always_changes: bool,
    rest: Option<RestById>,
}

/// The position in a list whose remaining records are read in the order of ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RestById {
    /// The last id read.
    pub(crate) after: Option<i32>,
    /// An id came before one that it should follow.
    is_out_of_order: bool,
}

impl SeenIds {
    /// For a list whose pages have a state.
    pub(crate) fn new(always_changes: bool) -> Self {
        Self {
            always_changes,
            ..Self::default()
        }
    }

    /// For a list without one: a record that moves in the order may be on two pages of a pass.
    pub(crate) fn without_state(always_changes: bool) -> Self {
        Self {
            all: Some(HashSet::new()),
            ..Self::new(always_changes)
        }
    }

    /// Marks an id as yielded; returns whether it is new.
    pub(crate) fn take(&mut self, id: i32) -> bool {
        if let Some(rest) = &mut self.rest {
            rest.is_out_of_order |= rest.after.is_some_and(|after| id <= after);
            rest.after = Some(id);
        }
        match &mut self.all {
            Some(all) => all.insert(id),
            None => {
                self.first.push(id);
                true
            }
        }
    }

    /// The position, if the remaining records are to be read in the order of ids.
    pub(crate) fn rest(&self) -> Option<RestById> {
        self.rest
    }

    /// How many records that were yielded the next pass may show again: all of them, but in the order of ids
    /// those that come after the position.
    pub(super) fn repeated(&self) -> Option<usize> {
        // Those of a first pass are among them before the next one begins.
        let all = self.all.as_ref().map_or(0, HashSet::len);
        self.rest.is_none().then_some(all)
    }

    pub(super) fn always_changes(&self) -> bool {
        self.always_changes
    }

    pub(super) fn is_out_of_order(&self) -> bool {
        self.rest.is_some_and(|rest| rest.is_out_of_order)
    }

    /// Reads the remaining records in the order of ids from now on; `false` if they already are.
    pub(super) fn read_rest(&mut self) -> bool {
        self.remember_first();
        let was_read = self.rest.is_some();
        self.rest.get_or_insert_default();
        !was_read
    }

    /// Prepares the next pass after one that took this many pages.
    pub(super) fn restart(&mut self, pages: usize) -> Result<(), CursorLost> {
        self.remember_first();
        if self.rest.is_some() {
            return Ok(());
        }
        if pages > self.furthest {
            self.furthest = pages;
            self.idle_passes = 0;
            return Ok(());
        }
        self.idle_passes += 1;
        if self.idle_passes == MAX_IDLE_PASSES {
            return Err(CursorLost);
        }
        Ok(())
    }

    fn remember_first(&mut self) {
        let first = std::mem::take(&mut self.first);
        self.all.get_or_insert_default().extend(first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_once() {
        let mut moving = SeenIds::without_state(false);
        assert!(moving.take(7) && !moving.take(7));
        let mut seen = SeenIds::default();
        assert!(seen.take(7));
        seen.restart(1).unwrap();
        assert!(!seen.take(7));
        assert!(seen.take(8));
        assert!(!seen.take(8));
    }

    #[test]
    fn the_next_pass_may_show_all_that_came_until_the_rest_comes_by_id() {
        let mut seen = SeenIds::default();
        assert_eq!(seen.repeated(), Some(0));
        assert!(seen.take(7) && seen.take(3));
        seen.restart(1).unwrap();
        assert_eq!(seen.repeated(), Some(2));
        assert!(seen.read_rest());
        assert_eq!(seen.repeated(), None);
    }

    /// A service may take "greater" for "not less", and send the same id without an end.
    #[test]
    fn in_the_order_of_ids_one_that_comes_again_is_out_of_order() {
        let mut seen = SeenIds::default();
        assert!(seen.read_rest());
        assert!(seen.take(7) && !seen.is_out_of_order());
        assert!(!seen.take(7) && seen.is_out_of_order());
    }

    #[test]
    fn passes_that_come_no_further_end() {
        let mut seen = SeenIds::default();
        for pages in [3, 4] {
            seen.restart(pages).unwrap();
            for _ in 1..MAX_IDLE_PASSES {
                seen.restart(3).unwrap();
            }
        }
        seen.restart(4).unwrap_err();
    }

    #[test]
    fn the_rest_comes_by_id_and_without_what_came_before() {
        let mut seen = SeenIds::default();
        assert!(seen.take(7) && seen.take(3));
        assert_eq!(seen.rest(), None);
        assert!(seen.read_rest());
        assert!(!seen.take(3) && seen.take(5) && !seen.take(7));
        assert_eq!(seen.rest().unwrap().after, Some(7));
        for _ in 0..=MAX_IDLE_PASSES {
            seen.restart(1).unwrap();
        }
        assert!(!seen.read_rest() && !seen.is_out_of_order());
        // A service that ignores the bound sends the same ids again, without an end.
        assert!(!seen.take(3) && seen.is_out_of_order());
    }
}
