//! Projects, their milestones and their members as they are stored.

use obeya_model::{ProjectCreate, Timestamp};
use serde::{Deserialize, Serialize};

use crate::table::table;
use crate::variant::Variant;
use obeya_rules::enums::MemberRole;

table! {
    /// A project.
    projects: ProjectRow, ProjectLine, ProjectFields from ProjectCreate {
        key id: i32,
        body required name: String,
        // Every project has one; a line without it gets its id.
        body project_number: Option<String>,
        body status: Option<String>,
        body external_id: Option<String>,
        body description: Option<String>,
        body customer_number: Option<String>,
        given customer_name: Option<String>,
        rule created_date: Option<Timestamp>,
        body start_date: Option<Timestamp>,
        body end_date: Option<Timestamp>,
        body estimated_start_date: Option<Timestamp>,
        body estimated_end_date: Option<Timestamp>,
        also #[serde(deserialize_with = "crate::field::or_empty")] milestones: Vec<MilestoneLine>,
        also #[serde(deserialize_with = "crate::field::or_empty")] members: Vec<MemberLine>,
    }
}

/// A milestone in the line of a project.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
#[allow(missing_docs, reason = "the fields are columns and have their names")]
pub struct MilestoneLine {
    pub id: i32,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned_date: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual_date: Option<Timestamp>,
}

/// A member in the line of a project.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
#[allow(missing_docs, reason = "the fields are columns and have their names")]
pub struct MemberLine {
    pub user_id: String,
    pub role: Variant<MemberRole>,
}
