//! The order of the rows of a file, and a file written anew with some of them exchanged.

use std::path::Path;

use anyhow::Result;

use super::diff::same;
use super::file::{self, Reader, Writer, micros};
use crate::sync::row::{Row, Table, Value};
use crate::sync::target::Counts;

/// Writes a file anew with those of its rows that stay and with others, in the order of their keys. A row
/// takes the place of the one with its key.
pub(super) fn exchanged(
    table: &Table,
    path: &Path,
    stays: impl Fn(&Row) -> bool,
    rows: Vec<Row>,
) -> Result<(file::Written, Counts)> {
    let mut writer = Writer::new(table, path)?;
    let mut counts = Counts::default();
    let mut rows = rows.into_iter().peekable();
    for old in Reader::open(table, path)?.into_iter().flatten() {
        let old = old?;
        let at = key(table, &old);
        while let Some(row) = rows.next_if(|row| key(table, row) < at) {
            counts.added += 1;
            writer.push(row)?;
        }
        if let Some(row) = rows.next_if(|row| key(table, row) == at) {
            counts.changed += u64::from(!same(&old, &row));
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

/// What a table's rows are ordered by.
pub(super) fn key(table: &Table, row: &Row) -> (i32, i32) {
    let second = if table.key > 1 { row[1].id() } else { 0 };
    (row[0].id(), second)
}

/// Values are in the order of their dates.
pub(super) fn by_date(row: &Row) -> (i64, i32) {
    let date = row.iter().rev().find_map(|value| match value {
        Value::Instant(instant) => Some(micros(*instant)),
        _ => None,
    });
    (date.unwrap_or_default(), row[0].id())
}
