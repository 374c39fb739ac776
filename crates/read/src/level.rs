//! The rows of a query with what is expanded in them: one statement for each level, joined in memory.
//!
//! Each level is written once, as JSON without closing braces, however often its rows appear; the answer is
//! put together from these pieces at the end. A parent that a thousand comments share is read once and copied
//! a thousand times.

use std::collections::HashMap;
use std::ops::ControlFlow;

use obeya_odata::edm::Cardinality;
use obeya_odata::sql::{self, Direction, Scope, Statement};
use obeya_odata::{Bound, BoundExpand};

use super::error::{Excess, ReadError};
use super::row_encoder::RowEncoder;
use super::time::TimestampFormatter;
use super::{binds, json};
use obeya_store::engine::{Row, Session, StoreError, Value};
use obeya_store::entities::order_of;

/// Rows that one request may expand, over all levels.
const MAX_EXPANDED_ROWS: usize = 100_000;
/// Bytes of an answer with expanded rows. Expanding there and back (`incident($expand=comments)`) multiplies
/// what was read.
const MAX_EXPANDED_BYTES: usize = 64 << 20;
/// Link values bound to one statement; engines allow some 32,000 in all.
const MAX_LINKS: usize = 10_000;

/// The rows of one level, each written but for its braces and what is expanded in it.
#[derive(Default)]
struct Level {
    bytes: Vec<u8>,
    /// Where each row ends in `bytes`; it begins where the one before ends.
    ends: Vec<usize>,
    /// Where in each row what is expanded in it stands.
    places: Vec<usize>,
    /// The link values of each row, as many as the level has expands.
    links: Vec<Option<i64>>,
    /// For an expanded level: whose child each row is.
    owners: Vec<i64>,
    expanded: Vec<Expanded>,
}

/// What is expanded under one navigation of a level.
struct Expanded {
    key: Vec<u8>,
    count_key: Vec<u8>,
    cardinality: Cardinality,
    level: Level,
    /// The rows of the level by their owner's link value.
    rows: HashMap<i64, Vec<usize>>,
    /// The number of all related rows by the owner's link value, when asked for.
    counts: Option<HashMap<i64, i64>>,
    /// Whether the number stands for the rows, which are then not read.
    count_only: bool,
}

/// What [`write_rows`] writes.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// The query the rows belong to.
    pub query: &'a Bound,
    /// How a row is written.
    pub(crate) encoder: &'a RowEncoder,
    /// Give the rows, each those that come after the last one's.
    pub statements: &'a [Statement],
    /// The columns to take from the last row that is written.
    pub keys: &'a [usize],
    /// The most rows to write.
    pub limit: usize,
    /// The most rows to read: none beyond are there for this request.
    pub read: usize,
}

/// How much may be read and written with what is expanded.
#[derive(Debug, Clone, Copy)]
struct Room {
    /// Expanded rows, over all levels.
    rows: usize,
    /// Bytes of all levels, and of the answer that is put together from them.
    bytes: usize,
}

impl Room {
    /// For what a request asks to expand.
    const ASKED: Self = Self {
        rows: MAX_EXPANDED_ROWS,
        bytes: MAX_EXPANDED_BYTES,
    };

    /// Takes the bytes of a level. Each of its rows is in the answer at least once, so what they pass the
    /// answer would pass.
    fn take(&mut self, level: &Level) -> Result<(), Stop> {
        let left = self.bytes.checked_sub(level.bytes.len());
        self.bytes = left.ok_or(Stop::TOO_MANY_BYTES)?;
        Ok(())
    }
}

/// Why rows are not written.
enum Stop {
    /// There is more than there is room for.
    TooMuch(Excess),
    Failed(StoreError),
}

impl Stop {
    const TOO_MANY_ROWS: Self = Self::TooMuch(Excess {
        what: "expanded rows",
        limit: MAX_EXPANDED_ROWS,
        unit: "rows",
    });
    const TOO_MANY_BYTES: Self = Self::TooMuch(Excess {
        what: "answer",
        limit: MAX_EXPANDED_BYTES,
        unit: "bytes",
    });
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

impl Rows<'_> {
    /// Hands every row that is to be written to `each`, with its number from 1, until that says to stop.
    fn each(
        &self,
        session: &mut dyn Session,
        mut each: impl FnMut(&dyn Row, usize) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<Found, StoreError> {
        let mut found = Found {
            rows: 0,
            last: Vec::new(),
        };
        let mut wanted = ControlFlow::Continue(());
        for statement in self.statements {
            if found.rows >= self.read || wanted.is_break() {
                break;
            }
            session.query(&statement.sql, &binds(statement), &mut |row| {
                found.rows += 1;
                if found.rows > self.limit {
                    return Ok(ControlFlow::Break(()));
                }
                if found.rows == self.limit {
                    for &key in self.keys {
                        found.last.push(owned(row.value(key)?));
                    }
                }
                wanted = each(row, found.rows)?;
                Ok(if found.rows < self.read {
                    wanted
                } else {
                    ControlFlow::Break(())
                })
            })?;
        }
        Ok(found)
    }
}

/// What [`write_rows`] found.
pub struct Found {
    /// The number of rows, capped at one more than the limit.
    pub rows: usize,
    /// The keys of the row at the limit, if there is one.
    pub last: Vec<sql::Value>,
}

/// Writes the rows as objects separated by commas, with everything the query expands in them, which a request
/// may not make larger than it asks for rows.
pub(crate) fn write_rows(
    session: &mut dyn Session,
    rows: Rows<'_>,
    out: &mut Vec<u8>,
) -> Result<Found, ReadError> {
    let written = if rows.query.expands().is_empty() {
        write_plain(session, &rows, usize::MAX, out)
    } else {
        write_expanded(session, &rows, Room::ASKED, out)
    };
    written.map_err(|stop| match stop {
        Stop::TooMuch(excess) => ReadError::TooMuch(excess),
        Stop::Failed(error) => ReadError::Store(error),
    })
}

/// Writes the rows with what belongs to them whoever asks, unless that comes to more bytes: then `None`, and
/// `out` is as it was.
pub(crate) fn write_within(
    session: &mut dyn Session,
    rows: Rows<'_>,
    bytes: usize,
    out: &mut Vec<u8>,
) -> Result<Option<Found>, StoreError> {
    let start = out.len();
    let written = if rows.query.expands().is_empty() {
        write_plain(session, &rows, bytes, out)
    } else {
        let room = Room {
            rows: usize::MAX,
            bytes,
        };
        write_expanded(session, &rows, room, out)
    };
    match written {
        Ok(found) => Ok(Some(found)),
        Err(Stop::TooMuch(..)) => {
            out.truncate(start);
            Ok(None)
        }
        Err(Stop::Failed(error)) => Err(error),
    }
}

fn write_expanded(
    session: &mut dyn Session,
    rows: &Rows<'_>,
    room: Room,
    out: &mut Vec<u8>,
) -> Result<Found, Stop> {
    let most = out.len().saturating_add(room.bytes);
    let mut left = room;
    let (mut level, found) = read_level(session, rows, false, left.bytes)?;
    left.take(&level)?;
    expand(session, rows.query, &mut level, &mut left)?;
    for row in 0..level.ends.len() {
        if row > 0 {
            out.push(b',');
        }
        level.assemble(row, most, out)?;
    }
    Ok(found)
}

fn write_plain(
    session: &mut dyn Session,
    rows: &Rows<'_>,
    bytes: usize,
    out: &mut Vec<u8>,
) -> Result<Found, Stop> {
    let mut timestamps = TimestampFormatter::new();
    let most = out.len().saturating_add(bytes);
    let found = rows.each(session, |row, number| {
        out.extend_from_slice(if number == 1 { b"{" } else { b",{" });
        rows.encoder.write(out, row, &mut timestamps)?;
        out.push(b'}');
        Ok(further(out.len() <= most))
    })?;
    if out.len() > most {
        return Err(Stop::TOO_MANY_BYTES);
    }
    Ok(found)
}

/// Whether the next row is wanted.
fn further(is_wanted: bool) -> ControlFlow<()> {
    if is_wanted {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}

/// A value of a row, to keep.
pub fn owned(value: Value<'_>) -> sql::Value {
    match value {
        Value::Null => sql::Value::Null,
        Value::Int(value) => sql::Value::Int(value),
        Value::Real(value) => sql::Value::Real(value),
        Value::Text(text) => sql::Value::Text(text.to_owned()),
    }
}

/// Reads a level, no further than the row that passes so many bytes.
fn read_level(
    session: &mut dyn Session,
    rows: &Rows<'_>,
    owned: bool,
    bytes: usize,
) -> Result<(Level, Found), StoreError> {
    let mut timestamps = TimestampFormatter::new();
    let mut level = Level::default();
    let found = rows.each(session, |row, _| {
        level.push(rows.query, rows.encoder, row, owned, &mut timestamps)?;
        Ok(further(level.bytes.len() <= bytes))
    })?;
    Ok((level, found))
}

/// Reads what the query expands in the rows of `level`, and in turn in theirs. As deep as the query is, which
/// its limits bound.
fn expand(
    session: &mut dyn Session,
    query: &Bound,
    level: &mut Level,
    left: &mut Room,
) -> Result<(), Stop> {
    let width = query.expands().len();
    for (index, item) in query.expands().iter().enumerate() {
        let mut links: Vec<i64> = level
            .links
            .iter()
            .skip(index)
            .step_by(width)
            .flatten()
            .copied()
            .collect();
        links.sort_unstable();
        links.dedup();
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
        owned: bool,
        timestamps: &mut TimestampFormatter,
    ) -> Result<(), StoreError> {
        let place = encoder.write_around(&mut self.bytes, row, timestamps)?;
        self.places.push(place);
        self.ends.push(self.bytes.len());
        for item in query.expands() {
            self.links.push(row.int(item.link)?);
        }
        if owned {
            // The owner comes after the query's own columns, and is what the statement asked for: it is never
            // NULL.
            self.owners
                .push(row.int(query.columns().len())?.unwrap_or_default());
        }
        Ok(())
    }

    fn append(&mut self, mut other: Level) {
        let shift = self.bytes.len();
        self.bytes.append(&mut other.bytes);
        self.ends.extend(other.ends.iter().map(|end| end + shift));
        self.places
            .extend(other.places.iter().map(|place| place + shift));
        self.links.append(&mut other.links);
        self.owners.append(&mut other.owners);
    }

    /// Adds a row with what is expanded in it, unless `out` has passed so many bytes.
    fn assemble(&self, row: usize, most: usize, out: &mut Vec<u8>) -> Result<(), Stop> {
        if out.len() > most {
            return Err(Stop::TOO_MANY_BYTES);
        }
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        out.push(b'{');
        let members = out.len();
        out.extend_from_slice(&self.bytes[start..self.places[row]]);
        for (index, expanded) in self.expanded.iter().enumerate() {
            let link = self.links[row * self.expanded.len() + index];
            if let Some(counts) = &expanded.counts {
                member(out, members, &expanded.count_key);
                json::int(
                    out,
                    link.and_then(|link| counts.get(&link))
                        .copied()
                        .unwrap_or(0),
                );
            }
            if expanded.count_only {
                continue;
            }
            member(out, members, &expanded.key);
            let rows = link
                .and_then(|link| expanded.rows.get(&link))
                .map_or(&[][..], Vec::as_slice);
            match (expanded.cardinality, rows) {
                (Cardinality::One, []) => json::null(out),
                (Cardinality::One, [row, ..]) => expanded.level.assemble(*row, most, out)?,
                (Cardinality::Many, rows) => {
                    out.push(b'[');
                    for (place, row) in rows.iter().enumerate() {
                        if place > 0 {
                            out.push(b',');
                        }
                        expanded.level.assemble(*row, most, out)?;
                    }
                    out.push(b']');
                }
            }
        }
        out.extend_from_slice(&self.bytes[self.places[row]..self.ends[row]]);
        out.push(b'}');
        Ok(())
    }
}

impl Expanded {
    fn read(
        session: &mut dyn Session,
        item: &BoundExpand,
        links: &[i64],
        left: &mut Room,
    ) -> Result<Self, Stop> {
        let name = item.navigation.name;
        let encoder = RowEncoder::of(&item.query);
        let mut level = Level::default();
        let mut counts = item.query.count().then(HashMap::new);
        let dialect = session.dialect().of_queries();
        let scope = Scope {
            default_column: order_of(item.query.entity())
                .map(|column| (column, Direction::Ascending)),
            ..Scope::default()
        };
        for links in links.chunks(MAX_LINKS) {
            let links: Vec<sql::Value> = links.iter().map(|&link| sql::Value::Int(link)).collect();
            if !item.count_only {
                let statement = sql::expand(item, dialect, &links, &scope);
                let rows = Rows {
                    query: &item.query,
                    encoder: &encoder,
                    statements: std::slice::from_ref(&statement),
                    keys: &[],
                    limit: left.rows,
                    read: usize::MAX,
                };
                let (part, found) = read_level(session, &rows, true, left.bytes)?;
                let rows = left.rows.checked_sub(found.rows);
                left.rows = rows.ok_or(Stop::TOO_MANY_ROWS)?;
                left.take(&part)?;
                level.append(part);
            }
            if let Some(counts) = &mut counts {
                let statement = sql::expand_count(item, dialect, &links, &Scope::default());
                session.query(&statement.sql, &binds(&statement), &mut |row| {
                    counts.insert(
                        row.int(0)?.unwrap_or_default(),
                        row.int(1)?.unwrap_or_default(),
                    );
                    Ok(ControlFlow::Continue(()))
                })?;
            }
        }
        expand(session, &item.query, &mut level, left)?;
        let mut rows: HashMap<i64, Vec<usize>> = HashMap::new();
        for (row, &owner) in level.owners.iter().enumerate() {
            rows.entry(owner).or_default().push(row);
        }
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
