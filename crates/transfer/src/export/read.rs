//! Reads tables in batches ordered by key (keyset pagination), so that no engine sorts a table, and no query
//! runs while another one returns rows.

use std::ops::ControlFlow;

use super::error::ExportError;
use crate::jsonl::RESOURCES;
use obeya_store::engine::{Row, Session, StoreError, Value, present};

/// Rows in a batch.
pub(super) const ROWS: u64 = 4_000;

/// Records in a batch whose parts are looked up together. They stay in memory meanwhile, and their texts may
/// be long.
const RECORDS: u64 = 200;

/// The number of records.
pub(super) fn count(session: &mut dyn Session) -> Result<u64, StoreError> {
    // A resource has the name of its table. The store is one line, and the datasources count their values.
    let tables = RESOURCES
        .into_iter()
        .filter(|name| !["store", "datasource_values"].contains(name));
    let counts: Vec<String> = tables
        .map(|table| format!("(SELECT count(*) FROM {table})"))
        .collect();
    let sql = format!(
        "SELECT {} + CAST((SELECT coalesce(sum(value_count), 0) FROM datasources) AS bigint)",
        counts.join(" + ")
    );
    let count = session.first(&sql, &[], |row| row.int(0))?;
    Ok(count.flatten().unwrap_or_default().unsigned_abs())
}

/// Calls `each` with each row of a statement; returns their number.
pub(super) fn rows(
    session: &mut dyn Session,
    sql: &str,
    binds: &[Value<'_>],
    mut each: impl FnMut(&dyn Row) -> Result<(), ExportError>,
) -> Result<u64, ExportError> {
    let mut outcome = Ok(());
    let mut rows = 0;
    let read = session.query(sql, binds, &mut |row| {
        rows += 1;
        outcome = each(row);
        Ok(match outcome {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        })
    });
    outcome?;
    read?;
    Ok(rows)
}

/// Calls `each` with each row of a table, ordered by id. `what` is `id, … FROM table`.
pub(super) fn by_id(
    session: &mut dyn Session,
    what: &str,
    mut each: impl FnMut(&dyn Row) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let sql = format!("SELECT {what} WHERE id > ?1 ORDER BY id LIMIT {ROWS}");
    let mut last = i64::MIN;
    loop {
        let rows = rows(session, &sql, &[last.into()], |row| {
            last = present(row.int(0)?)?;
            each(row)
        })?;
        if rows < ROWS {
            return Ok(());
        }
    }
}

/// Records with an id, whose parts are in other tables.
pub(super) struct Records<T> {
    records: Vec<(i64, T)>,
}

/// Calls `each` with the records of a table in batches, ordered by id.
pub(super) fn records<T>(
    session: &mut dyn Session,
    what: &str,
    record: impl Fn(&dyn Row) -> Result<T, StoreError>,
    mut each: impl FnMut(&mut dyn Session, Records<T>) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let sql = format!("SELECT {what} WHERE id > ?1 ORDER BY id LIMIT {RECORDS}");
    let mut last = i64::MIN;
    loop {
        let records = session.all(&sql, &[last.into()], |row| {
            Ok((present(row.int(0)?)?, record(row)?))
        })?;
        let Some((id, _)) = records.last() else {
            return Ok(());
        };
        last = *id;
        each(session, Records { records })?;
    }
}

impl<T> Records<T> {
    /// Adds to each record its rows of a child table. `what` is `… FROM table`, `owner` the column with the
    /// record's id; rows of one record are sorted by `order`.
    pub(super) fn parts(
        &mut self,
        session: &mut dyn Session,
        what: &str,
        owner: &str,
        order: &str,
        mut part: impl FnMut(&mut T, &dyn Row) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (Some((first, _)), Some((last, _))) = (self.records.first(), self.records.last())
        else {
            return Ok(());
        };
        let sql = format!(
            "SELECT {owner}, {what} WHERE {owner} BETWEEN ?1 AND ?2 ORDER BY {owner}, {order}"
        );
        let binds = [(*first).into(), (*last).into()];
        let records = &mut self.records;
        session.query(&sql, &binds, &mut |row| {
            let id = present(row.int(0)?)?;
            // Every reference is checked, so each part has its record.
            if let Ok(index) = records.binary_search_by_key(&id, |(id, _)| *id) {
                part(&mut records[index].1, row)?;
            }
            Ok(ControlFlow::Continue(()))
        })
    }
}

impl<T> IntoIterator for Records<T> {
    type Item = (i64, T);
    type IntoIter = std::vec::IntoIter<(i64, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.records.into_iter()
    }
}

/// A number without a negative zero, as every engine stores it.
pub(super) fn real(row: &dyn Row, column: usize) -> Result<Option<f64>, StoreError> {
    Ok(row.real(column)?.map(|value| value + 0.0))
}
