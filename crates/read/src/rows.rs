//! The rows of a query with their expanded records: one statement for each level, joined in memory.
//!
//! Each level is written once, as JSON without closing braces, however often its rows appear; the answer is
//! assembled from these parts at the end. A parent that a thousand comments share is read once and copied a
//! thousand times.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use obeya_odata::edm::Cardinality;
use obeya_odata::sql::{self, Direction, Scope, Statement};
use obeya_odata::{Bound, BoundExpand};

use super::error::{Excess, ReadError};
use super::row_encoder::RowEncoder;
use super::rows_by_owner::RowsByOwner;
use super::sink::Sink;
use super::time::TimestampFormatter;
use super::{binds, json};
use obeya_store::RecordId;
use obeya_store::engine::{Row, Session, StoreError, Value, present};
use obeya_store::entities::order_of;

/// The most rows that one request may expand, over all levels.
const MAX_EXPANDED_ROWS: usize = 100_000;
/// The most bytes of one record with its expanded rows. Expanding in both directions
/// (`incident($expand=comments)`) multiplies the rows that were read.
const MAX_EXPANDED_BYTES: usize = 64 << 20;
/// The most bytes of a page, except for a page of one record. Records of usual length fill a page of 1,000
/// with less than half of it.
const PAGE_BYTES: usize = 4 << 20;
/// The most link values bound to one statement; engines allow some 32,000 in all.
const MAX_LINKS: usize = 10_000;

/// The rows of one level, each written without its braces and without its expanded records.
#[derive(Default)]
struct Level {
    bytes: Vec<u8>,
    /// The end of each row in `bytes`; it begins at the end of the row before.
    ends: Vec<usize>,
    /// The offset in `bytes` of each row at which its expanded records are inserted.
    insert_at: Vec<usize>,
    /// The link values of each row, as many as the level has expands.
    links: Vec<Option<RecordId>>,
    /// For an expanded level: the link value of each row's owner.
    owners: Vec<RecordId>,
    expanded: Vec<Expanded>,
}

/// The expanded records of one navigation of a level.
struct Expanded {
    key: Vec<u8>,
    count_key: Vec<u8>,
    cardinality: Cardinality,
    level: Level,
    /// The rows of the level.
    rows: RowsByOwner,
    /// The number of all related rows by the owner's link value, when asked for.
    counts: Option<BTreeMap<RecordId, i64>>,
    /// Whether only the number was requested; the rows are then not read.
    count_only: bool,
}

/// The input of [`write_rows`].
#[derive(Clone, Copy)]
pub struct RowQuery<'a> {
    /// The query the rows belong to.
    pub query: &'a Bound,
    /// Writes a row.
    pub(crate) encoder: &'a RowEncoder,
    /// The statements that return the rows, one after the other.
    pub statements: &'a [Statement],
    /// The columns to return of the last row written.
    pub keys: &'a [usize],
    /// The most rows to write.
    pub limit: usize,
    /// The most rows to read. The request excludes rows beyond them.
    pub read: usize,
}

/// The remaining limits of an answer with expanded records.
#[derive(Debug, Clone, Copy)]
struct ExpandLimits {
    /// Expanded rows, over all levels.
    rows: usize,
    /// Bytes of all levels, and of the answer that is put together from them.
    bytes: usize,
}

impl ExpandLimits {
    /// Subtracts the bytes of a level. Each of its rows is in the answer at least once, so a level that
    /// exceeds the limit means an answer that does.
    fn take(&mut self, level: &Level) -> Result<(), RowsError> {
        let left = self.bytes.checked_sub(level.bytes.len());
        self.bytes = left.ok_or(RowsError::TOO_MANY_BYTES)?;
        Ok(())
    }
}

/// Why writing rows ended early.
enum RowsError {
    /// A limit would be exceeded.
    LimitExceeded(Excess),
    Store(StoreError),
}

impl RowsError {
    const TOO_MANY_ROWS: Self = Self::LimitExceeded(Excess {
        what: "expanded rows",
        limit: MAX_EXPANDED_ROWS,
        unit: "rows",
    });
    const TOO_LONG: Excess = Excess {
        what: "answer",
        limit: MAX_EXPANDED_BYTES,
        unit: "bytes",
    };
    const TOO_MANY_BYTES: Self = Self::LimitExceeded(Self::TOO_LONG);
}

impl From<StoreError> for RowsError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl RowQuery<'_> {
    /// Calls `each` with every row to write and its number from 1. A row at which it breaks is the last one.
    fn each(
        &self,
        session: &mut dyn Session,
        mut each: impl FnMut(&dyn Row, usize) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<WrittenRows, StoreError> {
        let mut found = WrittenRows {
            rows: 0,
            has_more: false,
            last: Vec::new(),
        };
        let mut limit = self.limit;
        for statement in self.statements {
            if found.rows >= self.read || found.has_more {
                break;
            }
            session.query(&statement.sql, &binds(statement), &mut |row| {
                if found.rows == limit {
                    found.has_more = true;
                    return Ok(ControlFlow::Break(()));
                }
                found.rows += 1;
                if each(row, found.rows)?.is_break() {
                    limit = found.rows;
                }
                if found.rows == limit {
                    for &key in self.keys {
                        found.last.push(owned(row.value(key)?)?);
                    }
                }
                Ok(continue_if(found.rows < self.read))
            })?;
        }
        Ok(found)
    }
}

/// The result of [`write_rows`].
pub struct WrittenRows {
    /// The number of rows.
    pub rows: usize,
    /// Whether another row follows.
    pub has_more: bool,
    /// The keys of the last row, if the limit or its length made it the last one.
    pub last: Vec<sql::Value>,
}

/// Writes the rows as objects separated by commas, with their expanded records. Writes fewer rows than the
/// limit if they are long; a single row may be longer than a page, if the sink has memory for it.
pub(crate) fn write_rows(
    session: &mut dyn Session,
    mut rows: RowQuery<'_>,
    sink: &mut dyn Sink,
    out: &mut Vec<u8>,
) -> Result<WrittenRows, ReadError> {
    if rows.query.expands().is_empty() {
        return Ok(write_until(session, &rows, PAGE_BYTES, out)?);
    }
    let start = out.len();
    let mut limits = ExpandLimits {
        rows: MAX_EXPANDED_ROWS,
        bytes: PAGE_BYTES,
    };
    loop {
        match write_expanded(session, &mut rows, limits, out) {
            Err(RowsError::LimitExceeded(RowsError::TOO_LONG)) if rows.limit > 1 => rows.limit /= 2,
            Err(RowsError::LimitExceeded(RowsError::TOO_LONG))
                if limits.bytes < MAX_EXPANDED_BYTES =>
            {
                // As much again for the levels, and as much for the answer that is put together from them.
                if !sink.reserve(2 * limits.bytes) {
                    return Err(ReadError::OutOfMemory);
                }
                limits.bytes *= 2;
            }
            Err(RowsError::LimitExceeded(excess)) => return Err(ReadError::LimitExceeded(excess)),
            Err(RowsError::Store(error)) => return Err(ReadError::Store(error)),
            Ok(written) => return Ok(written),
        }
        out.truncate(start);
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

/// Writes rows with their expanded records, or fails if they exceed the limits. Lowers the limit of rows to
/// those that there are.
fn write_expanded(
    session: &mut dyn Session,
    rows: &mut RowQuery<'_>,
    limits: ExpandLimits,
    out: &mut Vec<u8>,
) -> Result<WrittenRows, RowsError> {
    let max_bytes = out.len().saturating_add(limits.bytes);
    let mut left = limits;
    let (mut level, found) = read_level(session, rows, false, left.bytes)?;
    rows.limit = found.rows;
    left.take(&level)?;
    expand(session, rows.query, &mut level, &mut left)?;
    for row in 0..level.ends.len() {
        if row > 0 {
            out.push(b',');
        }
        level.assemble(row, max_bytes, out)?;
    }
    Ok(found)
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
        return Err(RowsError::TOO_MANY_BYTES);
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

/// Continues if the next row is wanted.
fn continue_if(is_wanted: bool) -> ControlFlow<()> {
    if is_wanted {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}

/// Copies a value of a row.
///
/// # Errors
/// It is bytes, which no property has.
pub fn owned(value: Value<'_>) -> Result<sql::Value, StoreError> {
    Ok(match value {
        Value::Null => sql::Value::Null,
        Value::Int(value) => sql::Value::Int(value),
        Value::Real(value) => sql::Value::Real(value),
        Value::Text(text) => sql::Value::Text(text.to_owned()),
        Value::Bytes(_) => return Err(StoreError::Engine("a property has bytes".into())),
    })
}

/// Reads a level, up to the row that exceeds `bytes`.
fn read_level(
    session: &mut dyn Session,
    rows: &RowQuery<'_>,
    has_owner: bool,
    bytes: usize,
) -> Result<(Level, WrittenRows), StoreError> {
    let mut timestamps = TimestampFormatter::new();
    let mut level = Level::default();
    let found = rows.each(session, |row, _| {
        level.push(rows.query, rows.encoder, row, has_owner, &mut timestamps)?;
        Ok(continue_if(level.bytes.len() <= bytes))
    })?;
    Ok((level, found))
}

/// Reads the expanded records of the rows of `level`, and recursively theirs. The limits of the query bound
/// the depth.
fn expand(
    session: &mut dyn Session,
    query: &Bound,
    level: &mut Level,
    left: &mut ExpandLimits,
) -> Result<(), RowsError> {
    let width = query.expands().len();
    let mut links: Vec<&RecordId> = Vec::new();
    let mut column = None;
    for (index, item) in query.expands().iter().enumerate() {
        if column.replace(item.link) != Some(item.link) {
            links.clear();
            links.extend(level.links.iter().skip(index).step_by(width).flatten());
            links.sort_unstable();
            links.dedup();
        }
        let expanded = Expanded::read(session, item, &links, left)?;
        level.expanded.push(expanded);
    }
    Ok(())
}

impl Level {
    fn push(
        &mut self,
        query: &Bound,
        encoder: &RowEncoder,
        row: &dyn Row,
        has_owner: bool,
        timestamps: &mut TimestampFormatter,
    ) -> Result<(), StoreError> {
        let offset = encoder.write_around(&mut self.bytes, row, timestamps)?;
        self.insert_at.push(offset);
        self.ends.push(self.bytes.len());
        let mut column = None;
        for item in query.expands() {
            // Most navigations of an entity start at its id, which is read once.
            let value = match self.links.last() {
                Some(value) if column == Some(item.link) => value.clone(),
                _ => link(row, item.link)?,
            };
            column = Some(item.link);
            self.links.push(value);
        }
        if has_owner {
            // The owner is the column after those of the query. The statement filters by it, so it is never
            // NULL.
            self.owners
                .push(present(link(row, query.columns().len())?)?);
        }
        Ok(())
    }

    fn append(&mut self, mut other: Level) {
        let shift = self.bytes.len();
        self.bytes.append(&mut other.bytes);
        self.ends.extend(other.ends.iter().map(|end| end + shift));
        self.insert_at
            .extend(other.insert_at.iter().map(|offset| offset + shift));
        self.links.append(&mut other.links);
        self.owners.append(&mut other.owners);
    }

    /// Appends a row with its expanded records; fails if `out` has exceeded `max_bytes`.
    fn assemble(&self, row: usize, max_bytes: usize, out: &mut Vec<u8>) -> Result<(), RowsError> {
        if out.len() > max_bytes {
            return Err(RowsError::TOO_MANY_BYTES);
        }
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        out.push(b'{');
        let members = out.len();
        out.extend_from_slice(&self.bytes[start..self.insert_at[row]]);
        for (index, expanded) in self.expanded.iter().enumerate() {
            let link = self.links[row * self.expanded.len() + index].as_ref();
            if let Some(counts) = &expanded.counts {
                member(out, members, &expanded.count_key);
                json::int(
                    out,
                    link.and_then(|link| counts.get(link)).copied().unwrap_or(0),
                );
            }
            if expanded.count_only {
                continue;
            }
            member(out, members, &expanded.key);
            let rows = link.map_or(&[][..], |link| expanded.rows.get(link));
            match (expanded.cardinality, rows) {
                (Cardinality::One, []) => json::null(out),
                (Cardinality::One, [row, ..]) => expanded.level.assemble(*row, max_bytes, out)?,
                (Cardinality::Many, rows) => {
                    out.push(b'[');
                    for (index, row) in rows.iter().enumerate() {
                        if index > 0 {
                            out.push(b',');
                        }
                        expanded.level.assemble(*row, max_bytes, out)?;
                    }
                    out.push(b']');
                }
            }
        }
        out.extend_from_slice(&self.bytes[self.insert_at[row]..self.ends[row]]);
        out.push(b'}');
        Ok(())
    }
}

impl Expanded {
    fn read(
        session: &mut dyn Session,
        item: &BoundExpand,
        links: &[&RecordId],
        left: &mut ExpandLimits,
    ) -> Result<Self, RowsError> {
        let name = item.navigation.name;
        let encoder = RowEncoder::of(&item.query);
        let mut level = Level::default();
        let mut counts = item.query.count().then(BTreeMap::new);
        let dialect = session.dialect().of_queries();
        let scope = Scope {
            default_column: order_of(item.query.entity())
                .map(|column| (column, Direction::Ascending)),
            ..Scope::default()
        };
        for links in links.chunks(MAX_LINKS) {
            let links: Vec<sql::Value> = links.iter().map(|&link| link.clone().into()).collect();
            if !item.count_only {
                let statement = sql::expand(item, dialect, &links, &scope);
                let rows = RowQuery {
                    query: &item.query,
                    encoder: &encoder,
                    statements: std::slice::from_ref(&statement),
                    keys: &[],
                    limit: left.rows,
                    read: usize::MAX,
                };
                let (part, found) = read_level(session, &rows, true, left.bytes)?;
                left.take(&part)?;
                if found.has_more {
                    return Err(RowsError::TOO_MANY_ROWS);
                }
                left.rows -= found.rows;
                level.append(part);
            }
            if let Some(counts) = &mut counts {
                let statement = sql::expand_count(item, dialect, &links, &Scope::default());
                session.query(&statement.sql, &binds(&statement), &mut |row| {
                    counts.insert(present(link(row, 0)?)?, row.int(1)?.unwrap_or_default());
                    Ok(ControlFlow::Continue(()))
                })?;
            }
        }
        expand(session, &item.query, &mut level, left)?;
        let rows = RowsByOwner::new(std::mem::take(&mut level.owners));
        Ok(Self {
            key: key(name),
            count_key: key(&format!("{name}@odata.count")),
            cardinality: item.navigation.cardinality,
            level,
            rows,
            counts,
            count_only: item.count_only,
        })
    }
}

/// The value of a link: the id of a record.
fn link(row: &dyn Row, column: usize) -> Result<Option<RecordId>, StoreError> {
    Ok(match row.value(column)? {
        Value::Null => None,
        Value::Int(id) => Some(id.into()),
        Value::Text(id) => Some(id.into()),
        // An error that names the column.
        Value::Real(_) | Value::Bytes(_) => row.int(column)?.map(RecordId::from),
    })
}

/// `,"name":`
fn key(name: &str) -> Vec<u8> {
    let mut key = vec![b','];
    json::string(&mut key, name);
    key.push(b':');
    key
}

/// Writes a key, without its comma when it is the object's first.
fn member(out: &mut Vec<u8>, members: usize, key: &[u8]) {
    let first = out.len() == members;
    out.extend_from_slice(&key[usize::from(first)..]);
}
