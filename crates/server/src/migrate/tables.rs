//! What is copied: every table of the schema but those that are made from others, with its columns, in an order in which each row finds what it refers to.
//!
//! Tests hold the list to the schema of each engine: a table or a column that a later version adds is missed there, and not in somebody's new database.

/// A table as it is copied.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) columns: &'static [Column],
    /// The primary key is this many of the columns, the first ones.
    pub(super) keys: usize,
}

/// A column of a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// The table whose `id` it holds.
    pub(super) refers_to: Option<&'static str>,
}

/// What a column holds, besides NULL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Real,
    Text,
}

/// The one table that is never empty: its only row is there from the beginning, and writers take turns at it.
pub(super) const STAMPS: &str = "stamps";

/// The tables that count the ids they give, so that none is given twice.
pub(super) const COUNTED: [&str; 2] = ["incidents", "improvements"];

/// Name (its key) and its other columns, `-> table` after one that holds an id of it.
macro_rules! tables {
    ($($table:ident ($($key:ident $key_kind:ident $(-> $key_of:ident)?),+) $($column:ident $kind:ident $(-> $of:ident)?),*;)+) => {
        /// Every table that is copied. A row may refer to rows of the tables before its own and, where that is checked at the end, of its own.
        pub(super) const TABLES: &[Table] = &[$(Table {
            name: stringify!($table),
            columns: &[
                $(tables!(column $key $key_kind $($key_of)?),)+
                $(tables!(column $column $kind $($of)?),)*
            ],
            keys: [$(stringify!($key)),+].len(),
        }),+];
    };
    (column $name:ident $kind:ident) => {
        Column { name: stringify!($name), kind: Kind::$kind, refers_to: None }
    };
    (column $name:ident $kind:ident $of:ident) => {
        Column { name: stringify!($name), kind: Kind::$kind, refers_to: Some(stringify!($of)) }
    };
}

tables! {
    clients (id Text) name Text, secret_hash Text, scopes Text, created_at Int, revoked_at Int;
    signing_keys (kid Text) private_key Text, created_at Int, expires_at Int;
    secrets (name Text) value Text;

    users (id Text) user_name Text, display_name Text, email Text;
    projects (id Int) name Text;
    areas (id Int) name Text, description Text;
    groups (id Int)
        type Text, name Text, description Text, parent_id Int -> groups, is_system_group Int, is_member Int, level Int, sort_order Int,
        business_unit_id Int, project_id Int, external_id Text, external_name Text;
    group_members (group_id Int -> groups, user_id Text -> users);
    boards (id Int)
        name Text, description Text, board_type Text, is_public Int, is_member Int, group_id Int -> groups, business_unit_id Int, project_id Int;
    board_lines (board_id Int -> boards, axis Text, id Int)
        name Text, week_day Text, is_column_category Int, style Text, sort_order Int, responsible_user_id Text -> users;
    data_lists (id Int) name Text;

    incident_types (id Int) title Text, description Text;
    type_categories (id Int)
        incident_type_id Int -> incident_types, parent_id Int -> type_categories, title Text, description Text, sort_order Int;
    type_consequences (id Int) incident_type_id Int -> incident_types, title Text, unit Text;
    type_causes (id Int) incident_type_id Int -> incident_types, title Text, description Text, sort_order Int;
    type_custom_fields (id Int)
        incident_type_id Int -> incident_types, label Text, type Text, sort_order Int, data_list_id Int, is_mandatory Int;
    type_translations (incident_type_id Int -> incident_types, language Text, kind Text, item_id Int) title Text, description Text;

    incidents (id Int)
        incident_type_id Int -> incident_types, project_id Int -> projects, area_id Int -> areas, reported_by_group_id Int -> groups,
        reported_by_user_id Text -> users, reported_by Text, reported_date Int, follow_up_group_id Int -> groups,
        responsible_user_id Text -> users, status Text, severity Text, title Text, text Text, incident_date Int, resolved_date Int, due_date Int,
        evaluation_status Text, evaluation_text Text, is_anonymous Int, external_id Text, number_of_actions Int, number_of_attachments Int,
        status_modified_date Int, status_new_date Int, status_in_progress_date Int, status_rejected_date Int, archived_date Int,
        last_modified Int, deleted_date Int;
    incident_categories (incident_id Int -> incidents, category_id Int -> type_categories);
    incident_consequences (incident_id Int -> incidents, consequence_id Int -> type_consequences) amount Real;
    incident_causes (incident_id Int -> incidents, cause_id Int -> type_causes);
    incident_custom_fields (incident_id Int -> incidents, custom_field_id Int -> type_custom_fields)
        value Text, data_list_value Text, registration_date Int;
    incident_comments (id Int)
        incident_id Int -> incidents, text Text, comment_date Int, commented_by Text, commented_by_user_id Text -> users,
        parent_id Int -> incident_comments, level Int;

    improvement_categories (id Int) title Text;
    improvements (id Int)
        status Text, archived_from Text, priority_status Text, group_id Int -> groups, title Text, text Text,
        category_id Int -> improvement_categories, project_id Int -> projects, suggested_by_user_id Text -> users, suggested_by Text,
        responsible_user_id Text -> users, suggestion_date Int, planned_date Int, in_progress_date Int, implemented_date Int, evaluated_date Int,
        archived_date Int, due_date Int, external_id Text, cost_of_investment Real, gain_of_investment Real, cost_of_investment_hours Real,
        gain_of_investment_hours Real, estimated_cost_of_investment Real, estimated_gain_of_investment Real,
        estimated_cost_of_investment_hours Real, estimated_gain_of_investment_hours Real, evaluation_status Text, evaluation_text Text,
        attachment_count Int, action_list_count Int, comment_count Int, like_count Int, last_modified Int, last_modified_by_user_id Text;

    datasources (id Int)
        title Text, description Text, object_source Text, unit_of_time Text, primary_input_source Text, value_count Int, change_counter Int;
    datasource_elements (datasource_id Int -> datasources, id Text)
        label Text, type Text, is_mandatory Int, source_column Text, data_list_id Int, sort_order Int;
    datasource_values (datasource_id Int -> datasources, value_date Int, id Int)
        value Real, registration_date Int, area_id Int, asset_id Int, project_id Int, description Text, dimension Text, dimension2 Text,
        dimension3 Text, dimension4 Text, external_id Text;

    stamps (id Int) last Int;
    counters (name Text) last Int;

    answers (client_id Text, operation Text, key Text) fingerprint Text, body Text, answered_at Int, record_id Int, ordinal Int;
}

impl Table {
    /// The names of its columns.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.columns.iter().map(|column| column.name).collect()
    }

    /// The columns of its primary key.
    pub(super) fn key(&self) -> &'static [Column] {
        &self.columns[..self.keys]
    }

    /// So many of its rows in the order of their keys, which is the same on every engine: the first ones, or those after a key that is bound.
    pub(super) fn select(&self, after_a_key: bool, most: usize) -> String {
        let keys: Vec<&str> = self.key().iter().map(|column| column.name).collect();
        let keys = keys.join(", ");
        let after = if after_a_key {
            let places: Vec<String> = (1..=self.keys).map(|place| format!("?{place}")).collect();
            format!(" WHERE ({keys}) > ({})", places.join(", "))
        } else {
            String::new()
        };
        format!(
            "SELECT {} FROM {}{after} ORDER BY {keys} LIMIT {most}",
            self.names().join(", "),
            self.name
        )
    }
}
