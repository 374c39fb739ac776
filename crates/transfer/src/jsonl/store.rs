//! The line of `store.jsonl`: the last stamp and ids that a store has issued, even to records that were
//! deleted.

use obeya_model::Timestamp;
use serde::{Deserialize, Serialize};

impl StoreLine {
    /// The tables whose ids are issued by a counter, each with its field and the last id.
    pub(crate) fn counted(&mut self) -> [(&'static str, &'static str, &mut Option<i32>); 4] {
        [
            ("groups", "lastGroupId", &mut self.last_group_id),
            ("projects", "lastProjectId", &mut self.last_project_id),
            (
                "project_milestones",
                "lastMilestoneId",
                &mut self.last_milestone_id,
            ),
            (
                "data_list_items",
                "lastDataListItemId",
                &mut self.last_data_list_item_id,
            ),
        ]
    }
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct StoreLine {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_stamp: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_incident_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_improvement_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_task_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_task_comment_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_attachment_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_value_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_group_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_project_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_milestone_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_data_list_item_id: Option<i32>,
}
