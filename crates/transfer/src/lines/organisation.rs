//! A line of `projects.jsonl`, `areas.jsonl`, `groups.jsonl` and `users.jsonl`.

use serde::{Deserialize, Serialize};

use obeya_rules::words::GroupType;
use obeya_store::field::{Word, is_default, or_empty};

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct ProjectLine {
    pub(crate) id: i32,
    pub(crate) name: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct AreaLine {
    pub(crate) id: i32,
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct GroupLine {
    pub(crate) id: i32,
    #[serde(rename = "type")]
    pub(crate) kind: Word<GroupType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent_id: Option<i32>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "is_default"
    )]
    pub(crate) is_system_group: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) level: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sort_order: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) business_unit_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) external_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) external_name: Option<String>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "is_default"
    )]
    pub(crate) is_member: bool,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct UserLine {
    pub(crate) id: String,
    pub(crate) user_name: String,
    pub(crate) display_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) email: Option<String>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) groups: Vec<i32>,
}
