//! The rows of one level of a query, and the levels expanded from it, as JSON that is assembled at the end.
//!
//! Each row is written once, without closing braces, however often it appears in the answer. A parent that a
//! thousand comments share is read once and copied a thousand times. No statement runs here.

use std::collections::BTreeMap;

use obeya_odata::Bound;
use obeya_odata::edm::Cardinality;

use super::error::Excess;
use super::json;
use super::row_encoder::RowEncoder;
use super::rows_by_owner::RowsByOwner;
use super::time::TimestampFormatter;
use obeya_store::RecordId;
use obeya_store::engine::{Row, StoreError, Value, present};

/// The rows of one level, each written without its braces and without its expanded records.
#[derive(Default)]
pub(super) struct Level {
    pub(super) bytes: Vec<u8>,
    /// The end of each row in `bytes`; it begins at the end of the row before.
    pub(super) ends: Vec<usize>,
    /// The offset in `bytes` of each row at which its expanded records are inserted.
    pub(super) insert_at: Vec<usize>,
    /// The link values of each row, as many as the level has expands.
    pub(super) links: Vec<Option<RecordId>>,
    /// For an expanded level: the link value of each row's owner.
    pub(super) owners: Vec<RecordId>,
    pub(super) expanded: Vec<Expanded>,
}

/// The expanded records of one navigation of a level.
pub(super) struct Expanded {
    pub(super) key: Vec<u8>,
    pub(super) count_key: Vec<u8>,
    pub(super) next_link_key: Vec<u8>,
    pub(super) cardinality: Cardinality,
    pub(super) level: Level,
    /// The rows of the level.
    pub(super) rows: RowsByOwner,
    /// The next links of lists that end before their last record, by the owner's link value.
    pub(super) next_links: BTreeMap<RecordId, String>,
    /// The number of all related rows by the owner's link value, when asked for.
    pub(super) counts: Option<BTreeMap<RecordId, i64>>,
    /// Whether only the number was requested; the rows are then not read.
    pub(super) count_only: bool,
}

impl Level {
    pub(super) fn push(
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

    pub(super) fn append(&mut self, mut other: Level) {
        let shift = self.bytes.len();
        self.bytes.append(&mut other.bytes);
        self.ends.extend(other.ends.iter().map(|end| end + shift));
        self.insert_at
            .extend(other.insert_at.iter().map(|offset| offset + shift));
        self.links.append(&mut other.links);
        self.owners.append(&mut other.owners);
    }

    /// Appends a row with its expanded records; fails if `out` has exceeded `max_bytes`.
    pub(super) fn assemble(
        &self,
        row: usize,
        max_bytes: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Excess> {
        if out.len() > max_bytes {
            return Err(Excess::BYTES);
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
                    if let Some(next_link) = link.and_then(|link| expanded.next_links.get(link)) {
                        member(out, members, &expanded.next_link_key);
                        json::string(out, next_link);
                    }
                }
            }
        }
        out.extend_from_slice(&self.bytes[self.insert_at[row]..self.ends[row]]);
        out.push(b'}');
        Ok(())
    }
}

/// The value of a link: the id of a record.
pub(super) fn link(row: &dyn Row, column: usize) -> Result<Option<RecordId>, StoreError> {
    Ok(match row.value(column)? {
        Value::Null => None,
        Value::Int(id) => Some(id.into()),
        Value::Text(id) => Some(id.into()),
        // An error that names the column.
        Value::Real(_) | Value::Bytes(_) => row.int(column)?.map(RecordId::from),
    })
}

/// `,"name":`
pub(super) fn key(name: &str) -> Vec<u8> {
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
