//! The rows of a query with their expanded records: one statement for each level, joined in memory.
//!
//! Each level is written once, as JSON without closing braces, however often its rows appear; the answer is
//! assembled from these parts at the end. A parent that a thousand comments share is read once and copied a
//! thousand times. The limits are set by the caller.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use obeya_odata::edm::{Cardinality, EntityType};
use obeya_odata::sql::{self, Direction, Scope};
use obeya_odata::{Bound, BoundExpand};

use super::binds;
use super::error::Excess;
use super::expanded_next_links::ExpandedNextLinks;
use super::level::{Expanded, Level, key, link};
use super::row_encoder::RowEncoder;
use super::row_query::{RowQuery, WrittenRows, continue_if};
use super::rows_by_owner::RowsByOwner;
use super::time::TimestampFormatter;
use obeya_store::RecordId;
use obeya_store::engine::{Session, StoreError, present};
use obeya_store::entities::order_of;

/// The most link values bound to one statement; engines allow some 32,000 in all.
const MAX_LINKS: usize = 10_000;

/// The remaining limits of an answer with expanded records.
#[derive(Clone, Copy)]
pub(super) struct ExpandLimits<'a> {
    /// Expanded rows, over all levels.
    pub(super) rows: usize,
    /// Bytes of all levels, and of the answer that is put together from them.
    pub(super) bytes: usize,
    /// Ends each expanded list early.
    pub(super) pages: Option<ExpandedPages<'a>>,
}

/// Expanded lists of which only the first records are in the answer, with a link to the rest.
#[derive(Clone, Copy)]
pub(super) struct ExpandedPages<'a> {
    /// The most records of a list.
    pub(super) records: usize,
    pub(super) links: &'a ExpandedNextLinks,
}

impl ExpandLimits<'_> {
    /// Subtracts the bytes of a level or of a link. Each row and each link is in the answer at least once, so
    /// one that exceeds the limit means an answer that does.
    fn take(&mut self, bytes: usize) -> Result<(), RowsError> {
        let left = self.bytes.checked_sub(bytes);
        self.bytes = left.ok_or(Excess::BYTES)?;
        Ok(())
    }
}

/// Why writing rows ended early.
pub(super) enum RowsError {
    /// A limit would be exceeded.
    LimitExceeded(Excess),
    Store(StoreError),
}

impl From<Excess> for RowsError {
    fn from(excess: Excess) -> Self {
        Self::LimitExceeded(excess)
    }
}

impl From<StoreError> for RowsError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Writes rows with their expanded records, or fails if they exceed the limits. Lowers the limit of rows to
/// those that there are.
pub(super) fn write_expanded(
    session: &mut dyn Session,
    rows: &mut RowQuery<'_>,
    limits: ExpandLimits<'_>,
    out: &mut Vec<u8>,
) -> Result<WrittenRows, RowsError> {
    let max_bytes = out.len().saturating_add(limits.bytes);
    let mut left = limits;
    let (mut level, found) = read_level(session, rows, false, left.bytes)?;
    rows.limit = found.rows;
    left.take(level.bytes.len())?;
    expand(session, rows.query, &mut level, &mut left)?;
    for row in 0..level.ends.len() {
        if row > 0 {
            out.push(b',');
        }
        level.assemble(row, max_bytes, out)?;
    }
    Ok(found)
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

/// The owners whose lists end early, and the keys of the last row of each.
type EndedLists = Vec<(RecordId, Vec<sql::Value>)>;

/// Reads the first `records` rows of each owner, and the keys of the last of them if the owner has more.
fn read_first_of_each(
    session: &mut dyn Session,
    rows: &RowQuery<'_>,
    records: usize,
    bytes: usize,
) -> Result<(Level, WrittenRows, EndedLists), StoreError> {
    let mut timestamps = TimestampFormatter::new();
    let mut level = Level::default();
    let mut ended = Vec::new();
    let mut of_owner = 0;
    let mut last = Vec::new();
    let found = rows.each(session, |row, _| {
        let owner = present(link(row, rows.query.columns().len())?)?;
        if level.owners.last() != Some(&owner) {
            of_owner = 0;
        }
        of_owner += 1;
        if of_owner > records {
            ended.push((owner, std::mem::take(&mut last)));
            return Ok(ControlFlow::Continue(()));
        }
        if of_owner == records {
            last = rows.keys_of(row)?;
        }
        level.push(rows.query, rows.encoder, row, true, &mut timestamps)?;
        Ok(continue_if(level.bytes.len() <= bytes))
    })?;
    Ok((level, found, ended))
}

/// Reads the expanded records of the rows of `level`, and recursively theirs. The limits of the query bound
/// the depth.
fn expand(
    session: &mut dyn Session,
    query: &Bound,
    level: &mut Level,
    left: &mut ExpandLimits<'_>,
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
        let expanded = read_expanded(session, query.entity(), item, &links, left)?;
        level.expanded.push(expanded);
    }
    Ok(())
}

/// Reads the expanded records of one navigation of rows with these link values.
fn read_expanded(
    session: &mut dyn Session,
    owner: &EntityType,
    item: &BoundExpand,
    links: &[&RecordId],
    left: &mut ExpandLimits<'_>,
) -> Result<Expanded, RowsError> {
    let name = item.navigation.name;
    let encoder = RowEncoder::of(&item.query);
    let mut level = Level::default();
    let mut counts = item.query.count().then(BTreeMap::new);
    let dialect = session.dialect().of_queries();
    let pages = left
        .pages
        .filter(|_| item.navigation.cardinality == Cardinality::Many);
    let scope = Scope {
        default_column: order_of(item.query.entity()).map(|column| (column, Direction::Ascending)),
        // One more shows that the list does not end there.
        limit: pages.map(|pages| pages.records as u64 + 1),
        ..Scope::default()
    };
    let mut next_links = BTreeMap::new();
    let list_links = pages.and_then(|pages| pages.links.of_list(owner, item, pages.records));
    for links in links.chunks(MAX_LINKS) {
        let links: Vec<sql::Value> = links.iter().map(|&link| link.clone().into()).collect();
        if !item.count_only {
            let (statements, keys) = match pages {
                None => (vec![sql::expand(item, dialect, &links, &scope)], Vec::new()),
                Some(_) => {
                    let page = sql::expand_page(item, dialect, &links, &scope);
                    (page.statements, page.keys)
                }
            };
            let rows = RowQuery {
                query: &item.query,
                encoder: &encoder,
                statements: &statements,
                keys: &keys,
                limit: left.rows,
                read: usize::MAX,
            };
            let (part, found, ended) = match pages {
                None => {
                    let (part, found) = read_level(session, &rows, true, left.bytes)?;
                    (part, found, Vec::new())
                }
                Some(pages) => read_first_of_each(session, &rows, pages.records, left.bytes)?,
            };
            left.take(part.bytes.len())?;
            if found.has_more {
                return Err(Excess::EXPANDED_ROWS.into());
            }
            left.rows -= found.rows;
            level.append(part);
            for (id, keys) in ended {
                let link = list_links.as_ref().and_then(|links| links.after(&id, keys));
                // Without a link, the answer would lose records.
                let link = link.ok_or(Excess::EXPANDED_ROWS)?;
                left.take(link.len())?;
                next_links.insert(id, link);
            }
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
    Ok(Expanded {
        key: key(name),
        count_key: key(&format!("{name}@odata.count")),
        next_link_key: key(&format!("{name}@odata.nextLink")),
        cardinality: item.navigation.cardinality,
        level,
        rows,
        next_links,
        counts,
        count_only: item.count_only,
    })
}
