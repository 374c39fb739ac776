//! The tables that are copied: all of the schema except derived ones, with their columns, ordered so that
//! each row comes after what it refers to.
//!
//! Tests compare the list with the schema of each engine, so that a table or column that a later version adds
//! is not forgotten.

use obeya_store::table::{Column, ColumnType, SetBy, Table};
use obeya_store::tables::attachments::AttachmentRow;
use obeya_store::tables::boards::BoardRow;
use obeya_store::tables::comments::CommentRow;
use obeya_store::tables::data_lists::DataListRow;
use obeya_store::tables::improvements::ImprovementRow;
use obeya_store::tables::incidents::IncidentRow;
use obeya_store::tables::names::ImprovementCategoryRow;
use obeya_store::tables::organisation::{AreaRow, GroupRow, UserRow};
use obeya_store::tables::projects::ProjectRow;
use obeya_store::tables::task_comments::TaskCommentRow;
use obeya_store::tables::tasks::TaskRow;

/// The one table that is never empty: it always has one row, which writers lock.
pub(super) const STAMPS: &str = "stamps";

/// The tables with a sequence of ids, none of which is issued twice.
pub(crate) const SEQUENCED_TABLES: [&str; 5] = [
    "incidents",
    "improvements",
    "tasks",
    "task_comments",
    "attachments",
];

/// A table without a declaration: its name, its key and its other columns, `-> table` after a foreign key.
macro_rules! copied {
    ($table:ident ($($key:ident $key_kind:ident $(-> $key_of:ident)?),+) $($column:ident $kind:ident $(-> $of:ident)?),*) => {
        Table {
            name: stringify!($table),
            columns: &[
                $(copied!(Key $key $key_kind $($key_of)?),)+
                $(copied!(Given $column $kind $($of)?),)*
            ],
            keys: [$(stringify!($key)),+].len(),
        }
    };
    ($set_by:ident $name:ident $kind:ident) => {
        Column { name: stringify!($name), column_type: ColumnType::$kind, set_by: SetBy::$set_by, refers_to: None, field: None }
    };
    ($set_by:ident $name:ident $kind:ident $of:ident) => {
        Column { name: stringify!($name), column_type: ColumnType::$kind, set_by: SetBy::$set_by, refers_to: Some(stringify!($of)), field: None }
    };
}

/// Every table that is copied. A row may refer to rows of the tables before its own and, where that is
/// checked at the end, of its own.
pub(crate) const TABLES: &[Table] = &[
    copied! { clients (id Text) name Text, secret_hash Text, scopes Text, created_at Int, revoked_at Int, previous_secret_hash Text,
    previous_secret_expires_at Int, expires_at Int, networks Text, rate_requests Int, rate_seconds Int, grants Text },
    copied! { signing_keys (kid Text) private_key Text, created_at Int, expires_at Int },
    copied! { secrets (name Text) value Text },
    UserRow::TABLE,
    ProjectRow::TABLE,
    copied! { project_milestones (id Int) project_id Int -> projects, name Text, planned_date Int, actual_date Int },
    copied! { project_members (project_id Int -> projects, user_id Text -> users) role Text },
    AreaRow::TABLE,
    GroupRow::TABLE,
    copied! { group_members (group_id Int -> groups, user_id Text -> users) role Text },
    BoardRow::TABLE,
    copied! { board_lines (board_id Int -> boards, axis Text, id Int)
    name Text, week_day Text, is_column_category Int, style Text, sort_order Int, responsible_user_id Text -> users },
    DataListRow::TABLE,
    copied! { data_list_items (id Int) data_list_id Int -> data_lists, sort_order Int, identifier Text, name Text },
    copied! { incident_types (id Int) title Text, description Text },
    copied! { type_categories (id Int)
    incident_type_id Int -> incident_types, parent_id Int -> type_categories, title Text, description Text, sort_order Int },
    copied! { type_consequences (id Int) incident_type_id Int -> incident_types, title Text, unit Text },
    copied! { type_causes (id Int) incident_type_id Int -> incident_types, title Text, description Text, sort_order Int },
    copied! { type_custom_fields (id Int)
    incident_type_id Int -> incident_types, label Text, type Text, sort_order Int, data_list_id Int, is_mandatory Int },
    copied! { type_translations (incident_type_id Int -> incident_types, language Text, kind Text, item_id Int) title Text, description Text },
    IncidentRow::TABLE,
    copied! { incident_categories (incident_id Int -> incidents, category_id Int -> type_categories) },
    copied! { incident_consequences (incident_id Int -> incidents, consequence_id Int -> type_consequences) amount Real },
    copied! { incident_causes (incident_id Int -> incidents, cause_id Int -> type_causes) },
    copied! { incident_custom_fields (incident_id Int -> incidents, custom_field_id Int -> type_custom_fields)
    value Text, data_list_value Text, registration_date Int },
    CommentRow::TABLE,
    ImprovementCategoryRow::TABLE,
    ImprovementRow::TABLE,
    TaskRow::TABLE,
    TaskCommentRow::TABLE,
    AttachmentRow::TABLE,
    copied! { attachment_contents (id Int -> attachments) content Bytes },
    copied! { datasources (id Int)
    title Text, description Text, object_source Text, unit_of_time Text, primary_input_source Text, value_count Int, change_counter Int },
    copied! { datasource_elements (datasource_id Int -> datasources, id Text)
    label Text, type Text, is_mandatory Int, source_column Text, data_list_id Int, sort_order Int, number Int },
    copied! { datasource_values (datasource_id Int -> datasources, value_date Int, id Int)
    value Real, registration_date Int, area_id Int, asset_id Int, project_id Int, description Text, dimension Text, dimension2 Text,
    dimension3 Text, dimension4 Text, external_id Text },
    copied! { stamps (id Int) last Int },
    copied! { counters (name Text) last Int },
    copied! { audit_entries (number Int)
    at Int, client_id Text, address Text, operation Text, record Text, request_id Text, change Text, salt Text, digest Text, hash Text },
    copied! { refused_tokens (minute Int, address Text) requests Int, tokens Int },
    copied! { answers (client_id Text, operation Text, key Text) fingerprint Text, body Text, answered_at Int, record_id Int, ordinal Int },
];

/// The query for at most `most` rows ordered by key, which is the same on every engine: the first ones, or
/// those after a bound key.
pub(super) fn select(table: &Table, after_a_key: bool, most: usize) -> String {
    let keys: Vec<&str> = table.key().iter().map(|column| column.name).collect();
    let keys = keys.join(", ");
    let after = if after_a_key {
        let placeholders: Vec<String> = (1..=table.keys).map(|n| format!("?{n}")).collect();
        format!(" WHERE ({keys}) > ({})", placeholders.join(", "))
    } else {
        String::new()
    };
    format!(
        "SELECT {} FROM {}{after} ORDER BY {keys} LIMIT {most}",
        table.names().join(", "),
        table.name
    )
}
