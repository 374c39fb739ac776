//! Statements that add, replace and remove values. Every function also updates the datasource's count and
//! marks its rollups as stale; none validates a value.

use super::elements::Datasource;
use super::{COLUMNS, changed, ids, pieces, rollups};
use crate::audit::{Diff, Form};
use crate::engine::{Row, Value, present};
use crate::write_error::WriteError;
use crate::{Session, StoreError};
use obeya_rules::value::DatasourceValue;

const INSERT: &str = concat!(
    "INSERT INTO datasource_values (",
    listed!(),
    ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
);
/// Assignments to the columns outside of all keys.
macro_rules! content {
    () => {
        "value = ?4, registration_date = ?5, area_id = ?6, asset_id = ?7, project_id = ?8, description = ?9,
        dimension = ?10, dimension2 = ?11, dimension3 = ?12, dimension4 = ?13, external_id = ?14"
    };
}
const UPDATE: &str = concat!(
    "UPDATE datasource_values SET ",
    content!(),
    " WHERE datasource_id = ?1 AND value_date = ?2 AND id = ?3"
);
/// Also replaces the date, which is part of both keys: SQLite then deletes and inserts the entries of both,
/// even if the date is the same.
const MOVE: &str = concat!(
    "UPDATE datasource_values SET value_date = ?2, ",
    content!(),
    " WHERE datasource_id = ?1 AND id = ?3"
);
const FIND: &str = concat!(
    "SELECT ",
    listed!(),
    " FROM datasource_values WHERE datasource_id = ?1 AND id = ?2"
);

/// A value as it is stored.
#[derive(Debug, Clone)]
pub struct Stored {
    /// The value itself.
    pub value: DatasourceValue,
    /// Its stamp, in ticks.
    pub registered: i64,
}

/// Adds a value that is registered at this stamp; its id.
pub fn insert(
    session: &mut dyn Session,
    datasource: &Datasource,
    value: &DatasourceValue,
    stamp: i64,
) -> Result<i32, WriteError> {
    let id = ids::take(session, 1)?;
    session.execute_deferred(INSERT, &cells(datasource.id, id, value, stamp))?;
    mark(session, datasource, [value.value_date])?;
    changed(session, datasource.id, 1, stamp)?;
    Ok(id)
}

/// Adds values in their order, all registered at this stamp, with ids in their order too.
pub fn append(
    session: &mut dyn Session,
    datasource: &Datasource,
    values: &[DatasourceValue],
    stamp: i64,
) -> Result<(), WriteError> {
    if values.is_empty() {
        return Ok(());
    }
    let first = ids::take(session, values.len())?;
    let rows: Vec<Value<'_>> = (first..)
        .zip(values)
        .flat_map(|(id, value)| cells(datasource.id, id, value, stamp))
        .collect();
    session.append("datasource_values", &COLUMNS, &rows)?;
    mark(session, datasource, values.iter().map(|it| it.value_date))?;
    let added = i64::try_from(values.len()).unwrap_or(i64::MAX);
    changed(session, datasource.id, added, stamp)?;
    Ok(())
}

/// Prefetches what [`find`] reads.
pub fn prefetch_find(
    session: &mut dyn Session,
    datasource: i32,
    id: i32,
) -> Result<(), StoreError> {
    session.prefetch(FIND, &[datasource.into(), id.into()])
}

/// A value of the datasource.
pub fn find(
    session: &mut dyn Session,
    datasource: i32,
    id: i32,
) -> Result<Option<Stored>, StoreError> {
    session.first(FIND, &[datasource.into(), id.into()], stored)
}

/// Replaces the content of a value, which was `before`; registered at this stamp.
pub fn update(
    session: &mut dyn Session,
    (datasource, id): (&Datasource, i32),
    before: &DatasourceValue,
    value: &DatasourceValue,
    stamp: i64,
) -> Result<(), StoreError> {
    mark(session, datasource, [before.value_date, value.value_date])?;
    let sql = match before.value_date == value.value_date {
        true => UPDATE,
        false => MOVE,
    };
    session.execute_deferred(sql, &cells(datasource.id, id, value, stamp))?;
    changed(session, datasource.id, 0, stamp)
}

/// Removes these values of the datasource; returns how many there were.
pub fn delete(
    session: &mut dyn Session,
    datasource: i32,
    ids: &[i32],
    stamp: i64,
) -> Result<u64, StoreError> {
    let mut gone = 0;
    let ids: Vec<_> = ids.iter().map(|id| Value::from(*id)).collect();
    for (places, ids) in pieces::of(&ids, 2) {
        let sql =
            format!("DELETE FROM datasource_values WHERE datasource_id = ?1 AND id IN ({places})");
        let binds = [&[datasource.into()], &ids[..]].concat();
        rollups::mark_values(session, &format!("v.id IN ({places})"), &binds)?;
        gone += session.execute(&sql, &binds)?;
    }
    went(session, datasource, gone, stamp)
}

/// Removes the values of the datasource in a period, both ends included; returns how many there were.
pub fn delete_period(
    session: &mut dyn Session,
    datasource: i32,
    (from, to): (i64, i64),
    stamp: i64,
) -> Result<u64, StoreError> {
    let sql = "DELETE FROM datasource_values WHERE datasource_id = ?1 AND value_date >= ?2 AND value_date <= ?3";
    let binds = [datasource.into(), from.into(), to.into()];
    rollups::mark_values(session, "v.value_date >= ?2 AND v.value_date <= ?3", &binds)?;
    let gone = session.execute(sql, &binds)?;
    went(session, datasource, gone, stamp)
}

/// Marks the rollups of these dates. Most values are later than all rollups, and cost no statement.
fn mark(
    session: &mut dyn Session,
    datasource: &Datasource,
    dates: impl IntoIterator<Item = i64>,
) -> Result<(), StoreError> {
    let dates = dates.into_iter();
    let dates = dates.filter(|date| *date < datasource.rolled_up_until);
    rollups::mark_dates(session, datasource.id, dates)
}

/// Subtracts removed values from the count.
fn went(
    session: &mut dyn Session,
    datasource: i32,
    gone: u64,
    stamp: i64,
) -> Result<u64, StoreError> {
    if gone > 0 {
        let added = -i64::try_from(gone).unwrap_or(i64::MAX);
        changed(session, datasource, added, stamp)?;
    }
    Ok(gone)
}

/// The cells of a value for [`COLUMNS`].
pub fn cells(
    datasource: i32,
    id: i32,
    value: &DatasourceValue,
    stamp: i64,
) -> [Value<'_>; COLUMNS.len()] {
    let [first, second, third, fourth] = &value.dimensions;
    [
        datasource.into(),
        value.value_date.into(),
        id.into(),
        value.value.into(),
        stamp.into(),
        value.area_id.into(),
        value.asset_id.into(),
        value.project_id.into(),
        value.description.as_deref().into(),
        first.as_deref().into(),
        second.as_deref().into(),
        third.as_deref().into(),
        fourth.as_deref().into(),
        value.external_id.as_deref().into(),
    ]
}

/// The change of a value, as the audit log records it. Datasource and id are in the path of the value, and
/// the registration is the stamp of the change.
pub fn diff(before: Option<&DatasourceValue>, after: Option<&DatasourceValue>) -> Diff {
    let columns = COLUMNS.iter().map(|name| match *name {
        "datasource_id" | "id" | "registration_date" => None,
        "value_date" => Some((*name, Form::Instant)),
        _ => Some((*name, Form::Plain)),
    });
    let cells = |value| cells(0, 0, value, 0);
    let (before, after) = (before.map(cells), after.map(cells));
    Diff::default().cells(
        columns,
        before.as_ref().map(|cells| &cells[..]),
        after.as_ref().map(|cells| &cells[..]),
    )
}

/// A row of [`COLUMNS`].
fn stored(row: &dyn Row) -> Result<Stored, StoreError> {
    Ok(Stored {
        value: DatasourceValue {
            value: present(row.real(3)?)?,
            value_date: present(row.int(1)?)?,
            area_id: row.int32(5)?,
            asset_id: row.int32(6)?,
            project_id: row.int32(7)?,
            description: row.string(8)?,
            dimensions: [
                row.string(9)?,
                row.string(10)?,
                row.string(11)?,
                row.string(12)?,
            ],
            external_id: row.string(13)?,
        },
        registered: present(row.int(4)?)?,
    })
}
