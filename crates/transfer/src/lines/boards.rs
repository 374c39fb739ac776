//! A line of `boards.jsonl`.

use serde::{Deserialize, Serialize};

use obeya_rules::words::BoardType;
use obeya_store::field::{Derived, Word, is_default, or_empty};

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct BoardLine {
    pub(crate) id: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) board_type: Option<Word<BoardType>>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "is_default"
    )]
    pub(crate) is_public: bool,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "is_default"
    )]
    pub(crate) is_member: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) group_id: Option<i32>,
    #[serde(default, skip_serializing, rename = "groupName")]
    pub(crate) _group_name: Derived,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) business_unit_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project_id: Option<i32>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) rows: Vec<Row>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) columns: Vec<Row>,
}

/// A row or a column.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct Row {
    pub(crate) id: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) week_day: Option<String>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "is_default"
    )]
    pub(crate) is_column_category: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) style: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sort_order: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) responsible_user_id: Option<String>,
    #[serde(default, skip_serializing, rename = "responsibleUser")]
    pub(crate) _responsible_user: Derived,
}
