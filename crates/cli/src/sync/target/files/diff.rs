//! Counts the rows that are added, changed or deleted while a file is rewritten.

use anyhow::Result;

use super::parquet_file::{Reader, micros};
use super::rewrite::RowOrder;
use crate::sync::row::{CellValue, TableRow};
use crate::sync::target::Counts;

/// A merge of the old rows with the new ones.
pub(super) struct Diff {
    old: Option<Reader>,
    next: Option<TableRow>,
    order: RowOrder,
    counts: Counts,
}

impl Diff {
    pub(super) fn new(old: Option<Reader>, order: RowOrder) -> Result<Self> {
        let mut diff = Diff {
            old,
            next: None,
            order,
            counts: Counts::default(),
        };
        diff.advance()?;
        Ok(diff)
    }

    /// Compares the next new row.
    pub(super) fn compare(&mut self, new: &TableRow) -> Result<()> {
        let position = self.order.position(new);
        while let Some(old) = &self.next {
            match self.order.position(old).cmp(&position) {
                std::cmp::Ordering::Less => self.counts.deleted += 1,
                std::cmp::Ordering::Equal => {
                    if !is_same_row(old, new) {
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

    /// Ends the comparison; the remaining old rows are deleted.
    pub(super) fn finish(mut self) -> Result<Counts> {
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

/// Whether a row in a file is equal to a new row.
pub(super) fn is_same_row(old: &TableRow, new: &TableRow) -> bool {
    let same = |(old, new): (&CellValue, &CellValue)| match (old, new) {
        (CellValue::Number(old), CellValue::Number(new)) => old.to_bits() == new.to_bits(),
        // Files store microseconds.
        (CellValue::Instant(old), CellValue::Instant(new)) => micros(*old) == micros(*new),
        (old, new) => old == new,
    };
    old.len() == new.len() && old.iter().zip(new).all(same)
}
