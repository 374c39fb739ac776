//! The records yielded from a list in an order of the caller's.
//!
//! Such an order has no cursor, so the next pass reads the whole list and skips the ids already yielded.

use std::collections::HashSet;

use super::CursorLost;

/// The number of consecutive passes without progress after which the stream fails. Progress is the number of
/// pages, not of new records: a list that grows at its beginning has new ones on each first page, and would
/// never end.
const MAX_IDLE_PASSES: u32 = 10;

/// The ids yielded.
#[derive(Debug, Default)]
pub(crate) struct SeenIds {
    /// Those of the first pass, which needs no look-ups.
    first: Vec<i32>,
    /// All of them, from the second pass on.
    all: Option<HashSet<i32>>,
    /// The most pages that any pass has taken.
    furthest: usize,
    idle_passes: u32,
}

impl SeenIds {
    pub(super) fn take(&mut self, id: i32) -> bool {
        match &mut self.all {
            Some(all) => all.insert(id),
            None => {
                self.first.push(id);
                true
            }
        }
    }

    /// Prepares the next pass after one that took this many pages.
    pub(super) fn restart(&mut self, pages: usize) -> Result<(), CursorLost> {
        let first = std::mem::take(&mut self.first);
        self.all.get_or_insert_default().extend(first);
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_once() {
        let mut seen = SeenIds::default();
        assert!(seen.take(7));
        seen.restart(1).unwrap();
        assert!(!seen.take(7));
        assert!(seen.take(8));
        assert!(!seen.take(8));
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
}
