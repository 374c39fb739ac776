//! A line of `improvements.jsonl`.

use obeya_model::{Patch, Timestamp};
use serde::{Deserialize, Serialize};

use super::field::{Derived, Word};
use super::words::{Evaluation, ImprovementStatus, Priority, Stage};

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct ImprovementLine {
    pub(crate) id: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<Word<ImprovementStatus>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) priority_status: Option<Word<Priority>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) group_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) category_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_modified: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_modified_by_user_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) suggested_by_user_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) suggested_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) suggestion_date: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) due_date: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) planned_date: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) in_progress_date: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) implemented_date: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) evaluated_date: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) archived_date: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub(crate) archived_from: Patch<Word<Stage>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) responsible_user_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) attachment_count: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) action_list_count: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) comment_count: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) like_count: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) external_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cost_of_investment: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) gain_of_investment: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cost_of_investment_hours: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) gain_of_investment_hours: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) estimated_cost_of_investment: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) estimated_gain_of_investment: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) estimated_cost_of_investment_hours: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) estimated_gain_of_investment_hours: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) evaluation_status: Option<Word<Evaluation>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) evaluation_text: Option<String>,
    #[serde(default, skip_serializing, rename = "group")]
    pub(crate) _group: Derived,
    #[serde(default, skip_serializing, rename = "project")]
    pub(crate) _project: Derived,
    #[serde(default, skip_serializing, rename = "responsibleUser")]
    pub(crate) _responsible_user: Derived,
    #[serde(default, skip_serializing, rename = "responsibleDisplayName")]
    pub(crate) _responsible_display_name: Derived,
}
