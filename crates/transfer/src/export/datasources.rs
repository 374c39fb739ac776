//! `datasources.jsonl`.

use super::error::ExportError;
use super::folder::JsonlWriter;
use super::read::records;
use crate::jsonl::datasources::{DatasourceLine, Element, ElementId};
use obeya_store::engine::{Row, Session, StoreError, present};
use obeya_store::variant::Variant;

const DATASOURCE: &str =
    "id, title, description, object_source, unit_of_time, primary_input_source FROM datasources";
const ELEMENT: &str =
    "number, id, label, type, is_mandatory, source_column, data_list_id FROM datasource_elements";

/// Writes `datasources.jsonl`. How many values there are is counted again when they are imported.
pub(super) fn write(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    records(session, DATASOURCE, datasource, |session, mut found| {
        found.parts(
            session,
            ELEMENT,
            "datasource_id",
            "sort_order, id",
            |datasource, row| {
                let elements = datasource.elements.get_or_insert_default();
                elements.push(element(row)?);
                Ok(())
            },
        )?;
        found
            .into_iter()
            .try_for_each(|(id, datasource)| out.write(id, &datasource))
    })
}

fn datasource(row: &dyn Row) -> Result<DatasourceLine, StoreError> {
    Ok(DatasourceLine {
        id: present(row.int32(0)?)?,
        title: row.string(1)?,
        description: row.string(2)?,
        object_source: row.string(3)?,
        unit_of_time: row.string(4)?,
        primary_input_source: row.string(5)?,
        elements: None,
    })
}

fn element(row: &dyn Row) -> Result<Element, StoreError> {
    Ok(Element {
        id: ElementId::Number(present(row.int32(1)?)?),
        key: Some(present(row.string(2)?)?),
        label: row.string(3)?,
        kind: Variant::from_column(present(row.text(4)?)?)?,
        is_mandatory: row.flag(5)?,
        source_column: row.string(6)?,
        data_list_id: row.int32(7)?,
    })
}
