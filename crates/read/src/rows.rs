//! Rows as JSON objects, within the limits of an answer.
//!
//! The statements are not made here.

use super::error::{Excess, ReadError};
use super::expanded_next_links::ExpandedNextLinks;
use super::expanded_rows::{ExpandLimits, ExpandedPages, RowsError, write_expanded};
use super::row_query::{RowQuery, WrittenRows, continue_if};
use super::sink::Sink;
use super::time::TimestampFormatter;
use obeya_store::engine::{Session, StoreError};

/// The most bytes of a page, except for a page of one record. Records of usual length fill a page of 1,000
/// with less than half of it.
const PAGE_BYTES: usize = 4 << 20;
/// The most records of each expanded list of a record that exceeds the limits with all of them.
const EXPANDED_RECORDS: usize = 1_000;
/// The divisor of that number as long as the record still exceeds them.
const FEWER_RECORDS: usize = 4;

/// Writes the rows as objects separated by commas, with their expanded records. Writes fewer rows than the
/// limit if they are long; a single row may be longer than a page, if the sink has memory for it. If it
/// exceeds every limit, its expanded lists end early, with `expanded_next_links`.
pub(crate) fn write_rows(
    session: &mut dyn Session,
    mut rows: RowQuery<'_>,
    expanded_next_links: Option<&ExpandedNextLinks>,
    sink: &mut dyn Sink,
    out: &mut Vec<u8>,
) -> Result<WrittenRows, ReadError> {
    if rows.query.expands().is_empty() {
        return Ok(write_until(session, &rows, PAGE_BYTES, out)?);
    }
    let start = out.len();
    let mut limits = ExpandLimits {
        rows: Excess::EXPANDED_ROWS.limit,
        bytes: PAGE_BYTES,
        pages: None,
    };
    let mut reserved = PAGE_BYTES;
    let most_rows = rows.limit;
    loop {
        let excess = match write_expanded(session, &mut rows, limits, out) {
            Ok(written) => return Ok(written),
            Err(RowsError::Store(error)) => return Err(ReadError::Store(error)),
            Err(RowsError::LimitExceeded(excess)) => excess,
        };
        out.truncate(start);
        let is_too_long = excess == Excess::BYTES && limits.bytes < Excess::BYTES.limit;
        match (&mut limits.pages, expanded_next_links) {
            // Rows and the records of their lists become fewer in turn.
            (Some(pages), _) if pages.records > 1 && pages.records >= rows.limit => {
                pages.records = (pages.records / FEWER_RECORDS).max(1);
            }
            _ if rows.limit > 1 => rows.limit /= 2,
            _ if is_too_long => {
                limits.bytes *= 2;
                // As much for the levels, and as much for the answer that is put together from them.
                if limits.bytes > reserved && !sink.reserve(limits.bytes) {
                    return Err(ReadError::OutOfMemory);
                }
                reserved = reserved.max(limits.bytes);
            }
            (pages @ None, Some(links)) => {
                *pages = Some(ExpandedPages {
                    records: EXPANDED_RECORDS,
                    links,
                });
                limits.bytes = PAGE_BYTES;
                // A page of one row was needed only as long as its lists were whole.
                rows.limit = most_rows;
            }
            _ => return Err(ReadError::LimitExceeded(excess)),
        }
    }
}

/// Writes the rows with their parts. If that exceeds `bytes`, returns `None` and leaves `out` unchanged.
pub(crate) fn write_within(
    session: &mut dyn Session,
    mut rows: RowQuery<'_>,
    bytes: usize,
    out: &mut Vec<u8>,
) -> Result<Option<WrittenRows>, StoreError> {
    let start = out.len();
    let written = if rows.query.expands().is_empty() {
        write_plain(session, &rows, bytes, out)
    } else {
        let limits = ExpandLimits {
            rows: usize::MAX,
            bytes,
            pages: None,
        };
        write_expanded(session, &mut rows, limits, out)
    };
    match written {
        Ok(found) => Ok(Some(found)),
        Err(RowsError::LimitExceeded(..)) => {
            out.truncate(start);
            Ok(None)
        }
        Err(RowsError::Store(error)) => Err(error),
    }
}

fn write_plain(
    session: &mut dyn Session,
    rows: &RowQuery<'_>,
    bytes: usize,
    out: &mut Vec<u8>,
) -> Result<WrittenRows, RowsError> {
    let max_bytes = out.len().saturating_add(bytes);
    let found = write_until(session, rows, bytes, out)?;
    if out.len() > max_bytes {
        return Err(Excess::BYTES.into());
    }
    Ok(found)
}

/// Writes rows up to the one that exceeds `bytes`.
fn write_until(
    session: &mut dyn Session,
    rows: &RowQuery<'_>,
    bytes: usize,
    out: &mut Vec<u8>,
) -> Result<WrittenRows, StoreError> {
    let max_bytes = out.len().saturating_add(bytes);
    write_while(session, rows, out, |length| length <= max_bytes)
}

/// Writes every row, which cannot be left to another page, if the sink has memory for them.
pub(crate) fn write_all(
    session: &mut dyn Session,
    rows: &RowQuery<'_>,
    sink: &mut dyn Sink,
    out: &mut Vec<u8>,
) -> Result<(), ReadError> {
    let mut max_bytes = PAGE_BYTES;
    let mut has_memory = true;
    write_while(session, rows, out, |length| {
        while has_memory && length > max_bytes {
            has_memory = sink.reserve(PAGE_BYTES);
            max_bytes += PAGE_BYTES;
        }
        has_memory
    })?;
    if has_memory {
        Ok(())
    } else {
        Err(ReadError::OutOfMemory)
    }
}

/// Writes rows as long as `is_wanted` says so of the length of what is written.
fn write_while(
    session: &mut dyn Session,
    rows: &RowQuery<'_>,
    out: &mut Vec<u8>,
    mut is_wanted: impl FnMut(usize) -> bool,
) -> Result<WrittenRows, StoreError> {
    let mut timestamps = TimestampFormatter::new();
    rows.each(session, |row, number| {
        out.extend_from_slice(if number == 1 { b"{" } else { b",{" });
        rows.encoder.write(out, row, &mut timestamps)?;
        out.push(b'}');
        Ok(continue_if(is_wanted(out.len())))
    })
}
