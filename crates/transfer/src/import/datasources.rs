//! `datasources.jsonl`: datasources and what the dimensions of their values mean.

use super::error::ImportError;
use super::folder::Source;
use super::ids::SeenIds;
use super::run::{LineAction, Run, upsert};
use crate::jsonl::datasources::DatasourceLine;

/// Reads `datasources.jsonl`.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let columns = [
        "title",
        "description",
        "object_source",
        "unit_of_time",
        "primary_input_source",
    ];
    let sql = upsert("datasources", &["id"], &columns);
    let mut seen = SeenIds::default();
    run.each(source, |run, location, line: DatasourceLine| {
        let exists = run.known.datasources.contains(&line.id);
        let action = run.action(location, &mut seen, &line.id, exists)?;
        if action == LineAction::Skip {
            return Ok(());
        }
        run.known.datasources.insert(line.id);
        run.execute(
            &sql,
            &[
                line.id.into(),
                line.title.as_deref().into(),
                line.description.as_deref().into(),
                line.object_source.as_deref().into(),
                line.unit_of_time.as_deref().into(),
                line.primary_input_source.as_deref().into(),
            ],
        )?;
        if action == LineAction::Replace {
            run.execute("DELETE FROM datasource_elements WHERE datasource_id = ?1", &[line.id.into()])?;
        }
        let elements = line.elements.unwrap_or_default();
        for (order, element) in (1_i64..).zip(&elements) {
            let earlier = elements.iter().take_while(|other| !std::ptr::eq(*other, element));
            if earlier.into_iter().any(|other| other.id == element.id) {
                let field = format!("elements[{}].id", order - 1);
                return Err(location.field_error(&field, format_args!("\"{}\" twice", element.id), "each id once"));
            }
            run.execute(
                "INSERT INTO datasource_elements \
                 (datasource_id, id, label, type, is_mandatory, source_column, data_list_id, sort_order) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                &[
                    line.id.into(),
                    (&element.id).into(),
                    element.label.as_deref().into(),
                    element.kind.as_str().into(),
                    element.is_mandatory.into(),
                    element.source_column.as_deref().into(),
                    element.data_list_id.into(),
                    order.into(),
                ],
            )?;
        }
        Ok(())
    })
}
