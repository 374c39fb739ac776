//! Rewrites a file with some of its rows replaced, and defines the order of rows.

use anyhow::Result;

use super::diff::is_same_row;
use super::parquet_file::{Reader, Writer, Written, micros};
use crate::sync::row::{CellValue, RowKey, Table, TableRow, row_key};
use crate::sync::target::Counts;

/// Writes a new file with the rows that stay and the new rows, in the order of their keys. A new row replaces
/// the old row with its key.
pub(super) fn rewrite_file(
    table: &Table,
    reader: Option<Reader>,
    mut writer: Writer,
    stays: impl Fn(&TableRow) -> bool,
    rows: Vec<TableRow>,
) -> Result<(Written, Counts)> {
    let mut counts = Counts::default();
    let mut rows = rows.into_iter().peekable();
    for old in reader.into_iter().flatten() {
        let old = old?;
        let at = table.row_key(&old);
        while let Some(row) = rows.next_if(|row| table.row_key(row) < at) {
            counts.added += 1;
            writer.push(row)?;
        }
        if let Some(row) = rows.next_if(|row| table.row_key(row) == at) {
            counts.changed += u64::from(!is_same_row(&old, &row));
            writer.push(row)?;
        } else if stays(&old) {
            writer.push(old)?;
        } else {
            counts.deleted += 1;
        }
    }
    for row in rows {
        counts.added += 1;
        writer.push(row)?;
    }
    Ok((writer.close()?, counts))
}

/// The order of the rows of a file.
#[derive(Clone, Copy)]
pub(super) enum RowOrder {
    /// By this many key columns.
    Key(usize),
    /// Of values: by their dates.
    Date,
}

impl RowOrder {
    /// The sort key of a row.
    pub(super) fn position(self, row: &TableRow) -> (i64, RowKey<'_>) {
        match self {
            RowOrder::Key(columns) => (0, row_key(columns, row)),
            RowOrder::Date => {
                let date = row.iter().rev().find_map(|value| match value {
                    CellValue::Instant(instant) => Some(micros(*instant)),
                    _ => None,
                });
                (date.unwrap_or_default(), row_key(1, row))
            }
        }
    }
}
