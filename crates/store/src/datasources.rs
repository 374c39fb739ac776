//! Statements over datasources; [`super::values`] has those over their values.

use obeya_model::{DatasourceDetail, DatasourceElement};

use super::engine::present;
use super::{Session, StoreError};

/// The datasource with its elements in their order.
pub fn detail(session: &mut dyn Session, id: i32) -> Result<Option<DatasourceDetail>, StoreError> {
    let sql = "SELECT title, description, object_source, unit_of_time, primary_input_source FROM datasources WHERE id = ?1";
    let found = session.first(sql, &[id.into()], |row| {
        Ok(DatasourceDetail {
            id,
            title: row.string(0)?,
            description: row.string(1)?,
            object_source: row.string(2)?,
            unit_of_time: row.string(3)?,
            primary_input_source: row.string(4)?,
            elements: Vec::new(),
        })
    })?;
    let Some(mut datasource) = found else {
        return Ok(None);
    };
    datasource.elements = elements(session, id)?;
    Ok(Some(datasource))
}

fn elements(session: &mut dyn Session, id: i32) -> Result<Vec<DatasourceElement>, StoreError> {
    let sql = "SELECT number, id, label, type, is_mandatory, source_column, data_list_id
        FROM datasource_elements WHERE datasource_id = ?1 ORDER BY sort_order, id";
    session.all(sql, &[id.into()], |row| {
        Ok(DatasourceElement {
            id: present(row.int32(0)?)?,
            key: present(row.string(1)?)?,
            label: row.string(2)?,
            type_: present(row.text(3)?)?.into(),
            is_mandatory: row.flag(4)?,
            source_column: row.string(5)?,
            data_list_id: row.int32(6)?,
        })
    })
}
