//! Converts the values of a body to domain types, and checks that every write of values makes first.

use obeya_model::{DatasourceValueInput, DatasourceValueTotal};

use crate::http::json::FixedDepth;
use crate::ops::view::WrittenRecord;
use obeya_read::RowPlan;
use obeya_rules::value::DatasourceValue;
use obeya_store::entities;
use obeya_store::values::elements::{self, Datasource};
use obeya_store::values::{self, write};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, StoreError, stamp};

impl FixedDepth for DatasourceValueInput {}

/// A value is one row of its table.
static RECORD: RowPlan = RowPlan::new(&entities::DATASOURCE_VALUE, &values::COLUMNS);

/// The record of a value with this id and stamp, as in every answer.
pub(super) fn record(
    (datasource, id): (i32, i32),
    value: &DatasourceValue,
    stamp: i64,
) -> Result<WrittenRecord, StoreError> {
    let json = RECORD.record(&write::cells(datasource, id, value, stamp))?;
    Ok(WrittenRecord::new(RECORD.entity(), id, json))
}

/// Prefetches the queries of [`datasource`].
pub(super) fn prefetch(session: &mut dyn Session, datasource: i32) -> Result<(), StoreError> {
    stamp::prefetch(session)?;
    elements::prefetch(session, datasource)
}

/// The datasource; fails if it does not exist.
pub(super) fn datasource(session: &mut dyn Session, id: i32) -> Result<Datasource, WriteError> {
    elements::datasource(session, id)?.ok_or(WriteError::Missing("datasource", id.into()))
}

/// Checks that a value fits the elements of its datasource.
pub(super) fn check(
    session: &mut dyn Session,
    datasource: &Datasource,
    value: &DatasourceValue,
) -> Result<(), WriteError> {
    let elements = &datasource.elements;
    let known = elements::known(session, elements, std::slice::from_ref(value))?;
    Ok(elements.check(value, &known)?)
}

/// Checks that the values of a batch fit the elements of their datasource.
pub(super) fn check_batch(
    session: &mut dyn Session,
    datasource: &Datasource,
    values: &[DatasourceValue],
) -> Result<(), WriteError> {
    let known = elements::known(session, &datasource.elements, values)?;
    Ok(datasource.elements.check_batch(values, &known)?)
}

/// The path of the values of a datasource in the audit log.
pub(super) fn path(datasource: i32) -> String {
    format!("datasources/{datasource}/values")
}

/// The answer to a batch.
pub(super) fn total(values: &[DatasourceValue]) -> DatasourceValueTotal {
    DatasourceValueTotal {
        // The limit of a batch is far lower.
        total: i32::try_from(values.len()).unwrap_or(i32::MAX),
    }
}

/// The values of a batch as domain types.
pub(super) fn values(inputs: Vec<DatasourceValueInput>) -> Vec<DatasourceValue> {
    inputs.into_iter().map(value).collect()
}

/// A value as a domain type.
pub(super) fn value(input: DatasourceValueInput) -> DatasourceValue {
    DatasourceValue {
        value: input.value,
        value_date: input.value_date.ticks(),
        area_id: input.area_id,
        asset_id: input.asset_id,
        project_id: input.project_id,
        description: input.description,
        dimensions: [
            input.dimension,
            input.dimension2,
            input.dimension3,
            input.dimension4,
        ],
        external_id: input.external_id,
    }
}
