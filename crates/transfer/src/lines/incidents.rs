//! A line of `incidents.jsonl`. The dates of the statuses are worked out where they are left out; a null says
//! that there is none.

use obeya_model::{Date, Patch, Timestamp};
use serde::{Deserialize, Serialize};

use obeya_rules::words::{Evaluation, IncidentStatus, Severity};
use obeya_store::field::{Derived, Word, is_default, or_empty};

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct IncidentLine {
    pub(crate) id: i32,
    pub(crate) incident_type_id: i32,
    pub(crate) title: String,
    pub(crate) incident_date: Date,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<Word<IncidentStatus>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) severity: Option<Word<Severity>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) area_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reported_by_group_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reported_by_user_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reported_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reported_date: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) follow_up_group_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) responsible_user_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_modified: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) resolved_date: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) due_date: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deleted_date: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) evaluation_status: Option<Word<Evaluation>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) evaluation_text: Option<String>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "is_default"
    )]
    pub(crate) is_anonymous: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) external_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) number_of_actions: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) number_of_attachments: Option<i32>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) categories: Vec<Part>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) causes: Vec<Part>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) consequences: Vec<Consequence>,
    #[serde(
        default,
        deserialize_with = "or_empty",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) custom_fields: Vec<CustomField>,
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub(crate) status_modified_date: Patch<Timestamp>,
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub(crate) status_new_date: Patch<Timestamp>,
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub(crate) status_in_progress_date: Patch<Timestamp>,
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub(crate) status_rejected_date: Patch<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) archived_date: Option<Timestamp>,
    #[serde(default, skip_serializing, rename = "project")]
    pub(crate) _project: Derived,
    #[serde(default, skip_serializing, rename = "incidentType")]
    pub(crate) _incident_type: Derived,
    #[serde(default, skip_serializing, rename = "reportedByGroup")]
    pub(crate) _reported_by_group: Derived,
    #[serde(default, skip_serializing, rename = "followUpGroup")]
    pub(crate) _follow_up_group: Derived,
    #[serde(default, skip_serializing, rename = "responsible")]
    pub(crate) _responsible: Derived,
    #[serde(default, skip_serializing, rename = "responsibleDisplayName")]
    pub(crate) _responsible_display_name: Derived,
    #[serde(default, skip_serializing, rename = "numberOfComments")]
    pub(crate) _number_of_comments: Derived,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct Part {
    pub(crate) id: i32,
    #[serde(default, skip_serializing, rename = "title")]
    pub(crate) _title: Derived,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct Consequence {
    pub(crate) id: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) amount: Option<f64>,
    #[serde(default, skip_serializing, rename = "unit")]
    pub(crate) _unit: Derived,
    #[serde(default, skip_serializing, rename = "title")]
    pub(crate) _title: Derived,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(crate) struct CustomField {
    pub(crate) id: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data_list_value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data_list_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data_list_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) registration_date: Option<Timestamp>,
    #[serde(default, skip_serializing, rename = "label")]
    pub(crate) _label: Derived,
    #[serde(default, skip_serializing, rename = "type")]
    pub(crate) _kind: Derived,
}
