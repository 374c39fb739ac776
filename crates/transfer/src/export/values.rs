//! `datasource_values.jsonl`: the one file that may hold millions of lines.

use super::error::ExportError;
use super::folder::JsonlWriter;
use super::read::{ROWS, real, rows};
use crate::jsonl::values::ValueLine;
use obeya_store::engine::{Row, Session, StoreError, present};
use obeya_store::values::COLUMNS;
use obeya_store::wire::must_instant;

/// Writes `datasource_values.jsonl` in the order of the table, which is the fastest one to import.
pub(super) fn write(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    let sql = format!(
        "SELECT {} FROM datasource_values
        WHERE (datasource_id, value_date, id) > (?1, ?2, ?3) ORDER BY datasource_id, value_date, id LIMIT {ROWS}",
        COLUMNS.join(", ")
    );
    let mut last = [i64::MIN; 3];
    loop {
        let found = rows(session, &sql, &last.map(Into::into), |row| {
            for (place, key) in last.iter_mut().enumerate() {
                *key = present(row.int(place)?)?;
            }
            let number = real(row, 3)?.filter(|number| number.is_finite());
            let number = number.ok_or_else(|| {
                out.rejected(last[2], "found no number, expected a finite one".to_owned())
            })?;
            out.write(last[2], &value(row, number)?)
        })?;
        if found < ROWS {
            return Ok(());
        }
    }
}

fn value(row: &dyn Row, value: f64) -> Result<ValueLine, StoreError> {
    Ok(ValueLine {
        id: present(row.int32(2)?)?,
        data_source_id: present(row.int32(0)?)?,
        value,
        value_date: must_instant(row, 1)?,
        registration_date: Some(must_instant(row, 4)?),
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
