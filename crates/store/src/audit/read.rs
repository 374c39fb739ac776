//! Reading the log, oldest entry first.

use std::ops::ControlFlow;

use super::{Origin, json};
use crate::engine::{Row, present};
use crate::{Session, StoreError, Value, wire};

/// An entry as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Counts from 1, without gaps.
    pub number: i64,
    /// When the change was made, in ticks.
    pub at: i64,
    /// Who made it.
    pub origin: Origin,
    /// The operation.
    pub operation: String,
    /// The path of the record or set.
    pub record: Option<String>,
    /// The change as JSON; `None` once it was erased.
    pub change: Option<String>,
    /// What is digested before the change; `None` once it was erased.
    pub salt: Option<String>,
    /// The digest of the change.
    pub digest: Option<String>,
    /// The hash of the entry and of all before it.
    pub hash: String,
}

impl Entry {
    /// The entry as a line of JSON, with everything that its hash covers. The change stands in it as it is
    /// stored, since its digest is that of the text.
    pub fn json(&self) -> String {
        let at = match wire::timestamp(self.at) {
            Ok(at) => json(&at),
            Err(_) => json(&self.at),
        };
        format!(
            "{{\"number\":{},\"at\":{at},\"client\":{},\"address\":{},\"operation\":{},\"record\":{},\"request\":{},\
             \"change\":{},\"salt\":{},\"digest\":{},\"hash\":{}}}",
            self.number,
            json(&self.origin.client_id),
            json(&self.origin.address),
            json(&self.operation),
            json(&self.record),
            json(&self.origin.request_id),
            self.change.as_deref().unwrap_or("null"),
            json(&self.salt),
            json(&self.digest),
            json(&self.hash)
        )
    }
}

/// Which entries are read. Everything that is set must apply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// At this time (ticks) or later.
    pub since: Option<i64>,
    /// By this client.
    pub client_id: Option<String>,
    /// Of this record or set, or of a record in this set: `incidents/17`, `incidents`.
    pub record: Option<String>,
}

/// Calls `each` with the entries that apply, oldest first.
///
/// # Errors
/// The engine or `each` fails.
pub fn read(
    session: &mut dyn Session,
    filter: &Filter,
    each: &mut dyn FnMut(Entry) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    let mut conditions = Vec::new();
    let mut binds: Vec<Value<'_>> = Vec::new();
    if let Some(since) = filter.since {
        binds.push(since.into());
        conditions.push(format!("at >= ?{}", binds.len()));
    }
    if let Some(client) = &filter.client_id {
        binds.push(client.into());
        conditions.push(format!("client_id = ?{}", binds.len()));
    }
    // The records of a set are those between `incidents/` and `incidents0`, the next character.
    let set = filter
        .record
        .as_ref()
        .map(|record| (format!("{record}/"), format!("{record}0")));
    if let (Some(record), Some((first, end))) = (&filter.record, &set) {
        binds.extend([record, first, end].map(Value::from));
        let at = binds.len();
        conditions.push(format!(
            "(record = ?{} OR record >= ?{} AND record < ?{at})",
            at - 2,
            at - 1
        ));
    }
    let condition = match conditions.is_empty() {
        true => String::new(),
        false => format!(" WHERE {}", conditions.join(" AND ")),
    };
    let sql = format!(
        "SELECT number, at, client_id, address, operation, record, request_id, change, salt, digest, hash
         FROM audit_entries{condition} ORDER BY number"
    );
    session.query(&sql, &binds, &mut |row| each(entry(row)?))
}

fn entry(row: &dyn Row) -> Result<Entry, StoreError> {
    Ok(Entry {
        number: present(row.int(0)?)?,
        at: present(row.int(1)?)?,
        origin: Origin {
            client_id: row.string(2)?,
            address: row.string(3)?,
            request_id: row.string(6)?,
        },
        operation: present(row.string(4)?)?,
        record: row.string(5)?,
        change: row.string(7)?,
        salt: row.string(8)?,
        digest: row.string(9)?,
        hash: present(row.string(10)?)?,
    })
}
