//! Which records of a list in an order of the caller's were given out.
//!
//! Such an order has no place to go on from, so another pass reads all of it and leaves out what is known.

use std::collections::HashSet;

use super::Lost;

/// Passes in a row without a new record before a list is given up.
const MAX_IDLE_PASSES: u32 = 10;

/// The ids given out.
#[derive(Debug, Default)]
pub(crate) struct SeenIds {
    /// Those of the first pass, in which no id has to be looked for.
    first: Vec<i32>,
    /// All of them, once there was another pass.
    all: Option<HashSet<i32>>,
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

    pub(super) fn restart(&mut self, delivered: bool) -> Result<(), Lost> {
        let first = std::mem::take(&mut self.first);
        self.all.get_or_insert_default().extend(first);
        self.idle_passes = if delivered { 0 } else { self.idle_passes + 1 };
        if self.idle_passes > MAX_IDLE_PASSES {
            return Err(Lost);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_once_and_idle_passes_end() {
        let mut seen = SeenIds::default();
        assert!(seen.take(7));
        seen.restart(true).unwrap();
        assert!(!seen.take(7));
        assert!(seen.take(8));
        for _ in 0..MAX_IDLE_PASSES {
            seen.restart(false).unwrap();
        }
        seen.restart(false).unwrap_err();
        seen.restart(true).unwrap();
        assert!(!seen.take(8));
    }
}
