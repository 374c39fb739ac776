//! A line of `incident_comments.jsonl`.

use obeya_model::Timestamp;
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct CommentLine {
    pub(crate) id: i32,
    pub(crate) incident_id: i32,
    pub(crate) text: String,
    pub(crate) comment_date: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commented_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commented_by_user_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) level: Option<i32>,
}
