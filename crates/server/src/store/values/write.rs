//! Values are added, replaced and taken away. Every function here also keeps the datasource's count; none asks whether a value is right.

use obeya_model::DatasourceValue as Record;

use super::{COLUMNS, changed, ids, pieces};
use crate::domain::value::DatasourceValue;
use crate::store::engine::{Row, Value, present};
use crate::store::refusal::Refusal;
use crate::store::wire::{must_instant, timestamp};
use crate::store::{Session, StoreError};

const INSERT: &str = concat!(
    "INSERT INTO datasource_values (",
    listed!(),
    ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
);
const UPDATE: &str = concat!(
    "UPDATE datasource_values SET value_date = ?2, value = ?4, registration_date = ?5, area_id = ?6, asset_id = ?7, project_id = ?8,
        description = ?9, dimension = ?10, dimension2 = ?11, dimension3 = ?12, dimension4 = ?13, external_id = ?14
    WHERE datasource_id = ?1 AND id = ?3 RETURNING ",
    listed!()
);
const FIND: &str = concat!(
    "SELECT ",
    listed!(),
    " FROM datasource_values WHERE datasource_id = ?1 AND id = ?2"
);

/// Says that so many values will be added ([`insert`], [`append`]).
pub(crate) fn prefetch(session: &mut dyn Session, count: usize) -> Result<(), StoreError> {
    if count == 0 {
        return Ok(());
    }
    ids::prefetch(session, count)
}

/// Adds a value that is registered at this stamp; it as it stands then.
pub(crate) fn insert(
    session: &mut dyn Session,
    datasource: i32,
    value: &DatasourceValue,
    stamp: i64,
) -> Result<Record, Refusal> {
    let id = ids::take(session, 1)?;
    session.execute_deferred(INSERT, &cells(datasource, id, value, stamp))?;
    changed(session, datasource, 1, stamp)?;
    Ok(registered(datasource, id, value, stamp)?)
}

/// Adds values in their order, all registered at this stamp, with ids in their order too.
pub(crate) fn append(
    session: &mut dyn Session,
    datasource: i32,
    values: &[DatasourceValue],
    stamp: i64,
) -> Result<(), Refusal> {
    if values.is_empty() {
        return Ok(());
    }
    let first = ids::take(session, values.len())?;
    let rows: Vec<Value<'_>> = (first..)
        .zip(values)
        .flat_map(|(id, value)| cells(datasource, id, value, stamp))
        .collect();
    session.append("datasource_values", &COLUMNS, &rows)?;
    let added = i64::try_from(values.len()).unwrap_or(i64::MAX);
    changed(session, datasource, added, stamp)?;
    Ok(())
}

/// Says that a value will be looked up ([`find`]).
pub(crate) fn prefetch_find(
    session: &mut dyn Session,
    datasource: i32,
    id: i32,
) -> Result<(), StoreError> {
    session.prefetch(FIND, &[datasource.into(), id.into()])
}

/// A value of the datasource as it stands.
pub(crate) fn find(
    session: &mut dyn Session,
    datasource: i32,
    id: i32,
) -> Result<Option<Record>, StoreError> {
    session.first(FIND, &[datasource.into(), id.into()], record)
}

/// Gives a value that is there other content, registered at this stamp; it as it stands then.
pub(crate) fn update(
    session: &mut dyn Session,
    (datasource, id): (i32, i32),
    value: &DatasourceValue,
    stamp: i64,
) -> Result<Record, Refusal> {
    let updated = session.first(UPDATE, &cells(datasource, id, value, stamp), record)?;
    changed(session, datasource, 0, stamp)?;
    updated.ok_or(Refusal::Missing("value", id))
}

/// Whether a value that is stored has this content already.
pub(crate) fn is_as_stored(value: &DatasourceValue, stored: &Record) -> Result<bool, StoreError> {
    let stamp = stored.registration_date.ticks();
    let same = registered(stored.data_source_id, stored.id, value, stamp)?;
    Ok(same == *stored)
}

/// Takes these values of the datasource away; how many there were.
pub(crate) fn delete(
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
        gone += session.execute(&sql, &binds)?;
    }
    went(session, datasource, gone, stamp)
}

/// Takes away the values of the datasource dated in a period, both ends in it; how many there were.
pub(crate) fn delete_period(
    session: &mut dyn Session,
    datasource: i32,
    (from, to): (i64, i64),
    stamp: i64,
) -> Result<u64, StoreError> {
    let sql = "DELETE FROM datasource_values WHERE datasource_id = ?1 AND value_date >= ?2 AND value_date <= ?3";
    let gone = session.execute(sql, &[datasource.into(), from.into(), to.into()])?;
    went(session, datasource, gone, stamp)
}

/// Counts values out.
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

/// What a value gives to [`COLUMNS`].
fn cells(
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

/// The record that [`cells`] make, as it will be read: to have it read costs a wait on an engine at the end of a wire, and a table on one in this process.
fn registered(
    datasource: i32,
    id: i32,
    value: &DatasourceValue,
    stamp: i64,
) -> Result<Record, StoreError> {
    let [dimension, dimension2, dimension3, dimension4] = value.dimensions.clone();
    Ok(Record {
        data_source_id: datasource,
        value_date: timestamp(value.value_date)?,
        id,
        // The store keeps no minus zero.
        value: value.value + 0.0,
        registration_date: timestamp(stamp)?,
        area_id: value.area_id,
        asset_id: value.asset_id,
        project_id: value.project_id,
        description: value.description.clone(),
        dimension,
        dimension2,
        dimension3,
        dimension4,
        external_id: value.external_id.clone(),
    })
}

/// A row of [`COLUMNS`].
fn record(row: &dyn Row) -> Result<Record, StoreError> {
    Ok(Record {
        data_source_id: present(row.int32(0)?)?,
        value_date: must_instant(row, 1)?,
        id: present(row.int32(2)?)?,
        value: present(row.real(3)?)?,
        registration_date: must_instant(row, 4)?,
        area_id: row.int32(5)?,
        asset_id: row.int32(6)?,
        project_id: row.int32(7)?,
        description: row.string(8)?,
        dimension: row.string(9)?,
        dimension2: row.string(10)?,
        dimension3: row.string(11)?,
        dimension4: row.string(12)?,
        external_id: row.string(13)?,
    })
}
