//! A line of `incidents.jsonl`.

use obeya_model::{Date, Timestamp};
use serde::Deserialize;

use crate::import::decode::{Derived, Word, or_empty};
use crate::import::words::{Evaluation, IncidentStatus, Severity};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(super) struct IncidentLine {
    pub(super) id: i32,
    pub(super) incident_type_id: i32,
    pub(super) title: String,
    pub(super) incident_date: Date,
    #[serde(default)]
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) status: Option<Word<IncidentStatus>>,
    #[serde(default)]
    pub(super) severity: Option<Word<Severity>>,
    #[serde(default)]
    pub(super) project_id: Option<i32>,
    #[serde(default)]
    pub(super) area_id: Option<i32>,
    #[serde(default)]
    pub(super) reported_by_group_id: Option<i32>,
    #[serde(default)]
    pub(super) reported_by_user_id: Option<String>,
    #[serde(default)]
    pub(super) reported_by: Option<String>,
    #[serde(default)]
    pub(super) reported_date: Option<Timestamp>,
    #[serde(default)]
    pub(super) follow_up_group_id: Option<i32>,
    #[serde(default)]
    pub(super) responsible_user_id: Option<String>,
    #[serde(default)]
    pub(super) last_modified: Option<Timestamp>,
    #[serde(default)]
    pub(super) resolved_date: Option<Timestamp>,
    #[serde(default)]
    pub(super) due_date: Option<Timestamp>,
    #[serde(default)]
    pub(super) deleted_date: Option<Timestamp>,
    #[serde(default)]
    pub(super) evaluation_status: Option<Word<Evaluation>>,
    #[serde(default)]
    pub(super) evaluation_text: Option<String>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) is_anonymous: bool,
    #[serde(default)]
    pub(super) external_id: Option<String>,
    #[serde(default)]
    pub(super) number_of_actions: Option<i32>,
    #[serde(default)]
    pub(super) number_of_attachments: Option<i32>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) categories: Vec<Part>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) causes: Vec<Part>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) consequences: Vec<Consequence>,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) custom_fields: Vec<CustomField>,
    #[serde(default)]
    pub(super) status_modified_date: Option<Timestamp>,
    #[serde(default)]
    pub(super) status_new_date: Option<Timestamp>,
    #[serde(default)]
    pub(super) status_in_progress_date: Option<Timestamp>,
    #[serde(default)]
    pub(super) status_rejected_date: Option<Timestamp>,
    #[serde(default)]
    pub(super) archived_date: Option<Timestamp>,
    #[serde(default, rename = "project")]
    _project: Derived,
    #[serde(default, rename = "incidentType")]
    _incident_type: Derived,
    #[serde(default, rename = "reportedByGroup")]
    _reported_by_group: Derived,
    #[serde(default, rename = "followUpGroup")]
    _follow_up_group: Derived,
    #[serde(default, rename = "responsible")]
    _responsible: Derived,
    #[serde(default, rename = "responsibleDisplayName")]
    _responsible_display_name: Derived,
    #[serde(default, rename = "numberOfComments")]
    _number_of_comments: Derived,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(super) struct Part {
    pub(super) id: i32,
    #[serde(default, rename = "title")]
    _title: Derived,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(super) struct Consequence {
    pub(super) id: i32,
    #[serde(default)]
    pub(super) amount: Option<f64>,
    #[serde(default, rename = "unit")]
    _unit: Derived,
    #[serde(default, rename = "title")]
    _title: Derived,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub(super) struct CustomField {
    pub(super) id: i32,
    #[serde(default)]
    pub(super) value: Option<String>,
    #[serde(default)]
    pub(super) data_list_value: Option<String>,
    #[serde(default)]
    pub(super) data_list_id: Option<i32>,
    #[serde(default)]
    pub(super) data_list_name: Option<String>,
    #[serde(default)]
    pub(super) registration_date: Option<Timestamp>,
    #[serde(default, rename = "label")]
    _label: Derived,
    #[serde(default, rename = "type")]
    _kind: Derived,
}
