//! Properties, columns, and the exceptions between them.

use std::collections::BTreeSet;

use obeya_odata::edm::{Column, EntityType};

use super::{columns, with_store};
use crate::entities;
use crate::table::{SetBy, Table};
use crate::tables::attachments::AttachmentRow;
use crate::tables::boards::BoardRow;
use crate::tables::comments::CommentRow;
use crate::tables::data_lists::DataListRow;
use crate::tables::improvements::ImprovementRow;
use crate::tables::incidents::IncidentRow;
use crate::tables::names::ImprovementCategoryRow;
use crate::tables::organisation::{AreaRow, GroupRow, UserRow};
use crate::tables::projects::ProjectRow;
use crate::tables::task_comments::TaskCommentRow;
use crate::tables::tasks::TaskRow;

/// The tables that are declared, each with the body of the specification that sets its columns, and its file.
pub(super) const DECLARED: &[(&Table, Option<&str>, &str)] = &[
    (&AttachmentRow::TABLE, None, "attachments"),
    (&BoardRow::TABLE, None, "boards"),
    (&CommentRow::TABLE, None, "comments"),
    (&DataListRow::TABLE, None, "data_lists"),
    (&ImprovementCategoryRow::TABLE, None, "names"),
    (
        &ImprovementRow::TABLE,
        Some("ImprovementUpdate"),
        "improvements",
    ),
    (&IncidentRow::TABLE, Some("IncidentUpdate"), "incidents"),
    (&ProjectRow::TABLE, None, "projects"),
    (&AreaRow::TABLE, None, "organisation"),
    (&GroupRow::TABLE, None, "organisation"),
    (&TaskCommentRow::TABLE, None, "task_comments"),
    (&TaskRow::TABLE, Some("TaskInfoUpdate"), "tasks"),
    (&UserRow::TABLE, None, "organisation"),
];

/// The file of a declaration.
fn file(name: &str) -> String {
    format!("crates/store/src/tables/{name}.rs")
}

/// Columns of the entities' tables and views that no property of a list shows: what only a detail or another
/// generation shows, what narrows or orders a list, and what the service keeps for itself.
const HIDDEN: &[(&str, &str)] = &[
    ("data_list_items", "data_list_id"),
    ("datasources", "change_counter"),
    ("datasources", "days_rolled_up_until"),
    ("datasources", "marked_counter"),
    ("datasources", "rolled_up_until"),
    ("group_users", "email"),
    ("incident_category_records", "sort_order"),
    ("incident_cause_records", "sort_order"),
    ("incident_custom_field_records", "sort_order"),
    ("incident_records", "accuracy_in_meters"),
    ("incident_records", "archived_date"),
    ("incident_records", "deleted_date"),
    ("incident_records", "last_modified_by_user"),
    ("incident_records", "last_modified_by_user_id"),
    ("incident_records", "latitude"),
    ("incident_records", "longitude"),
    ("incident_records", "reported_by_user_name"),
    ("incident_records", "status_in_progress_date"),
    ("incident_records", "status_modified_date"),
    ("incident_records", "status_new_date"),
    ("incident_records", "status_rejected_date"),
    ("live_task_comments", "area_id"),
    ("live_task_comments", "board_group_id"),
    ("live_task_comments", "follow_up_group_id"),
    ("live_task_comments", "incident_id"),
    ("live_task_comments", "incident_type_id"),
    ("live_task_comments", "reported_by_group_id"),
    ("live_tasks", "area_id"),
    ("live_tasks", "board_group_id"),
    ("live_tasks", "follow_up_group_id"),
    ("live_tasks", "incident_type_id"),
    ("live_tasks", "project_id"),
    ("live_tasks", "reported_by_group_id"),
    ("live_users", "number"),
    ("user_records", "deleted_date"),
    ("user_records", "type"),
];

/// Every column that an entity names.
fn named(entity: &EntityType) -> Vec<&'static str> {
    let read = entity
        .properties
        .iter()
        .filter_map(|property| match property.column {
            Column::Name(name) | Column::Indexed(name, _) => Some(name),
            _ => None,
        });
    let links = entity.navigations.iter().map(|link| link.from);
    read.chain(links).collect()
}

#[tokio::test]
async fn every_property_is_read_from_a_column() {
    let faults = with_store(|session| {
        let mut faults = Vec::new();
        for entity in entities::all() {
            let present = columns(session, entity.table)?;
            for property in entity.properties {
                let (Column::Name(name) | Column::Indexed(name, _)) = property.column else {
                    continue;
                };
                if !present.contains(name) {
                    faults.push(format!(
                        "{}.{}: {} has no column `{name}`; add one in crates/store/src/schema, \
                         or say in crates/store/src/entities where the property is read from",
                        entity.name, property.name, entity.table
                    ));
                }
            }
        }
        Ok(faults)
    });
    let faults = faults.await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test]
async fn every_column_is_a_property_or_hidden_on_purpose() {
    let faults = with_store(|session| {
        let mut faults = Vec::new();
        let mut hidden = HIDDEN.to_vec();
        let tables: BTreeSet<&str> = entities::all().iter().map(|entity| entity.table).collect();
        for table in tables {
            let entities = entities::all();
            let of_table: Vec<_> = entities.iter().filter(|one| one.table == table).collect();
            let named: BTreeSet<&str> = of_table.iter().flat_map(|entity| named(entity)).collect();
            let expressions = of_table.iter().flat_map(|entity| entity.properties);
            let in_expression = |name: &str| {
                let part = format!("{{t}}.{name}");
                expressions.clone().any(|property| {
                    matches!(property.column, Column::Expr(text) if text.contains(&part))
                })
            };
            // What a list narrows by, or another's link leads to.
            let all = entities.iter().flat_map(|entity| entity.navigations);
            let linked = |name: &str| {
                all.clone()
                    .any(|link| link.target.table == table && link.to == name)
            };
            for column in columns(session, table)? {
                let at = hidden
                    .iter()
                    .position(|one| *one == (table, column.as_str()));
                let is_hidden = at.map(|at| hidden.swap_remove(at)).is_some();
                let is_named =
                    named.contains(column.as_str()) || in_expression(&column) || linked(&column);
                match (is_named, is_hidden) {
                    (false, false) => faults.push(format!(
                        "{table}.{column}: no property shows it; add one to spec/openapi.yaml, \
                         or the column to HIDDEN in crates/store/src/facts/properties.rs"
                    )),
                    (true, true) => faults.push(format!(
                        "{table}.{column}: a property shows it; take it out of HIDDEN in \
                         crates/store/src/facts/properties.rs"
                    )),
                    _ => {}
                }
            }
        }
        for (table, column) in hidden {
            faults.push(format!(
                "{table}.{column}: there is no such column; take it out of HIDDEN in \
                 crates/store/src/facts/properties.rs"
            ));
        }
        Ok(faults)
    });
    let faults = faults.await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test]
async fn every_declared_table_has_the_columns_of_the_schema() {
    let faults = with_store(|session| {
        let mut faults = Vec::new();
        for (table, _, name) in DECLARED {
            let file = file(name);
            let present = columns(session, table.name)?;
            let declared: BTreeSet<String> = table.names().into_iter().map(str::to_owned).collect();
            for column in present.difference(&declared) {
                faults.push(format!(
                    "{}.{column}: the schema has it and the declaration has not; add it to {file}",
                    table.name
                ));
            }
            for column in declared.difference(&present) {
                faults.push(format!(
                    "{}.{column}: {file} declares it and the schema has no such column; \
                     add a migration in crates/store/src/schema",
                    table.name
                ));
            }
        }
        Ok(faults)
    });
    let faults = faults.await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_property_of_a_body_is_a_column_that_a_write_sets() {
    let spec: serde_json::Value =
        serde_json::from_str(include_str!("../../../../spec/generated/openapi.json")).unwrap();
    let mut faults = Vec::new();
    for (table, body, name) in DECLARED {
        let file = file(name);
        let Some(body) = body else { continue };
        let set: Vec<&str> = table
            .columns
            .iter()
            .filter(|column| matches!(column.set_by, SetBy::Rule | SetBy::Body))
            .map(|column| column.name)
            .collect();
        let properties = spec["components"]["schemas"][body]["properties"]
            .as_object()
            .unwrap();
        for name in properties.keys() {
            let column = snake(name);
            if !set.contains(&column.as_str()) {
                faults.push(format!(
                    "{body}.{name}: {} has no column `{column}` that a write sets; \
                     add `body {column}` (or `rule`) to {file}",
                    table.name
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn snake(name: &str) -> String {
    let letters = name.chars().flat_map(|letter| {
        let before = letter.is_ascii_uppercase().then_some('_');
        before.into_iter().chain([letter.to_ascii_lowercase()])
    });
    letters.collect()
}
