//! Which records of a list in an order of the caller's were given out.
//!
//! Such an order has no place to go on from, so another pass reads all of it and leaves out what is known.

use std::collections::HashSet;

use super::Lost;

/// Passes in a row that come no further than one before them, until a list is given up. Whether a pass finds
/// new records does not count: a list that grows at its beginning has some on each first page, and would
/// never end.
const MAX_IDLE_PASSES: u32 = 10;

/// The ids given out.
#[derive(Debug, Default)]
pub(crate) struct SeenIds {
    /// Those of the first pass, in which no id has to be looked for.
    first: Vec<i32>,
    /// All of them, once there was another pass.
    all: Option<HashSet<i32>>,
    /// The most pages that a pass has taken.
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

    /// After a pass that took so many pages.
    pub(super) fn restart(&mut self, pages: usize) -> Result<(), Lost> {
        let first = std::mem::take(&mut self.first);
        self.all.get_or_insert_default().extend(first);
        if pages > self.furthest {
            self.furthest = pages;
            self.idle_passes = 0;
            return Ok(());
        }
        self.idle_passes += 1;
        if self.idle_passes == MAX_IDLE_PASSES {
            return Err(Lost);
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
