//! Rows on their way: some at a time, in the order of their keys, so that no engine sorts a table nor is
//! asked anything while it still answers.

use std::ops::ControlFlow;

use super::error::ExportError;
use crate::jsonl::RESOURCES;
use obeya_store::engine::{Row, Session, StoreError, Value, present};

/// Rows that are asked for at a time.
pub(super) const ROWS: u64 = 4_000;

/// Records whose parts are looked up together. Their texts are held meanwhile, and may be long.
const RECORDS: u64 = 200;

/// How many records there are.
pub(super) fn count(session: &mut dyn Session) -> Result<u64, StoreError> {
    // Each resource is called what its table is; there is one line about the store, and of values their
    // datasources know the number.
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

/// Gives each row of a statement to `each`; how many there were.
pub(super) fn rows(
    session: &mut dyn Session,
    sql: &str,
    binds: &[Value<'_>],
    mut each: impl FnMut(&dyn Row) -> Result<(), ExportError>,
) -> Result<u64, ExportError> {
    let mut ended = Ok(());
    let mut rows = 0;
    let read = session.query(sql, binds, &mut |row| {
        rows += 1;
        ended = each(row);
        Ok(match ended {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        })
    });
    ended?;
    read?;
    Ok(rows)
}

/// Gives each row of a table to `each`, in the order of its ids. `what` is `id, … FROM table`.
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

/// Gives the records of a table to `each`, some at a time, in the order of their ids.
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
    /// Gives each of the records its rows of another table. `what` is `owner's id, … FROM table WHERE owner`,
    /// and `order` follows the owner.
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
            if let Ok(place) = records.binary_search_by_key(&id, |(id, _)| *id) {
                part(&mut records[place].1, row)?;
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

/// A number as every engine keeps it: a zero has no sign.
pub(super) fn real(row: &dyn Row, column: usize) -> Result<Option<f64>, StoreError> {
    Ok(row.real(column)?.map(|value| value + 0.0))
}
