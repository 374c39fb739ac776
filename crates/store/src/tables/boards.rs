//! Boards as they are stored.

use serde::{Deserialize, Serialize};

use crate::field::{Derived, is_default, or_empty};
use crate::table::table;
use crate::variant::Variant;
use obeya_rules::enums::BoardType;

table! {
    /// A board.
    boards: BoardRow, BoardLine {
        key id: i32,
        given name: Option<String>,
        given description: Option<String>,
        given board_type: Option<Variant<BoardType>>,
        given is_public: bool,
        given is_member: bool,
        given group_id: Option<i32> => groups,
        derived _group_name = "groupName",
        given business_unit_id: Option<i32>,
        given project_id: Option<i32>,
        also #[serde(deserialize_with = "or_empty")] rows: Vec<AxisLine>,
        also #[serde(deserialize_with = "or_empty")] columns: Vec<AxisLine>,
    }
}

/// A row or a column in the line of a board.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
#[allow(missing_docs, reason = "the fields are columns and have their names")]
pub struct AxisLine {
    pub id: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub week_day: Option<String>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "is_default"
    )]
    pub is_column_category: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort_order: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responsible_user_id: Option<String>,
    #[serde(default, skip_serializing, rename = "responsibleUser")]
    pub _responsible_user: Derived,
}
