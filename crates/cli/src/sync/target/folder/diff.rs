//! What of a file is new, other or gone, told while its successor is written.

use anyhow::Result;

use super::file::{Reader, micros};
use crate::sync::row::{Row, Value};
use crate::sync::target::Counts;

/// Both are in the order of this key.
pub(super) type Key = fn(&Row) -> (i64, i32);

/// A walk along the old rows beside the new ones.
pub(super) struct Diff {
    old: Option<Reader>,
    next: Option<Row>,
    key: Key,
    counts: Counts,
}

impl Diff {
    pub(super) fn new(old: Option<Reader>, key: Key) -> Result<Self> {
        let mut diff = Diff {
            old,
            next: None,
            key,
            counts: Counts::default(),
        };
        diff.advance()?;
        Ok(diff)
    }

    /// Compares the next of the new rows.
    pub(super) fn see(&mut self, new: &Row) -> Result<()> {
        let key = (self.key)(new);
        while let Some(old) = &self.next {
            match (self.key)(old).cmp(&key) {
                std::cmp::Ordering::Less => self.counts.deleted += 1,
                std::cmp::Ordering::Equal => {
                    if !same(old, new) {
                        self.counts.changed += 1;
                    }
                    return self.advance();
                }
                std::cmp::Ordering::Greater => break,
            }
            self.advance()?;
        }
        self.counts.added += 1;
        Ok(())
    }

    /// There are no more new rows.
    pub(super) fn end(mut self) -> Result<Counts> {
        while self.next.is_some() {
            self.counts.deleted += 1;
            self.advance()?;
        }
        Ok(self.counts)
    }

    fn advance(&mut self) -> Result<()> {
        self.next = match &mut self.old {
            Some(old) => old.next().transpose()?,
            None => None,
        };
        Ok(())
    }
}

/// By id.
pub(super) fn by_id(row: &Row) -> (i64, i32) {
    (0, row[0].id())
}

/// Whether a file has this row as it is.
pub(super) fn same(old: &Row, new: &Row) -> bool {
    let same = |(old, new): (&Value, &Value)| match (old, new) {
        (Value::Number(old), Value::Number(new)) => old.to_bits() == new.to_bits(),
        // Files hold microseconds.
        (Value::Instant(old), Value::Instant(new)) => micros(*old) == micros(*new),
        (old, new) => old == new,
    };
    old.len() == new.len() && old.iter().zip(new).all(same)
}
