//! Incidents as they are stored, and what a body does to one.

use obeya_model::{Date, IncidentCreate, IncidentUpdate, Patch, Timestamp};
use serde::{Deserialize, Serialize};

use crate::field::Derived;
use crate::table::table;
use crate::variant::Variant;
use obeya_rules::enums::{Evaluation, IncidentStatus, Severity};
use obeya_rules::error::DomainError;
use obeya_rules::incident::{check_evaluation, forgets_reporter};
use obeya_rules::incident_state::State;
use obeya_rules::{Change, apply};

table! {
    /// An incident.
    incidents: IncidentRow, IncidentLine, IncidentFields from IncidentUpdate, IncidentCreate {
        key id: i32,
        body required incident_type_id: i32 => incident_types,
        body required title: String,
        body required incident_date: Date,
        body text: Option<String>,
        rule status: Variant<IncidentStatus>,
        rule severity: Variant<Severity>,
        body project_id: Option<i32> => projects,
        body area_id: Option<i32> => areas,
        body reported_by_group_id: Option<i32> => groups,
        rule reported_by_user_id: Option<String> => users,
        rule reported_by: Option<String>,
        // In ticks.
        rule reported_date: i64 as Option<Timestamp>,
        body follow_up_group_id: Option<i32> => groups,
        body responsible_user_id: Option<String> => users,
        // In ticks.
        stamp last_modified: i64 as Option<Timestamp>,
        rule resolved_date: Option<Timestamp>,
        body due_date: Option<Timestamp>,
        given deleted_date: Option<Timestamp>,
        rule evaluation_status: Option<Variant<Evaluation>>,
        body evaluation_text: Option<String>,
        body is_anonymous: bool,
        body external_id: Option<String>,
        given number_of_actions: i32,
        given number_of_attachments: i32,
        also #[serde(deserialize_with = "crate::field::or_empty")] categories: Vec<PartLine>,
        also #[serde(deserialize_with = "crate::field::or_empty")] causes: Vec<PartLine>,
        also #[serde(deserialize_with = "crate::field::or_empty")] consequences: Vec<ConsequenceLine>,
        also #[serde(deserialize_with = "crate::field::or_empty")] custom_fields: Vec<CustomFieldLine>,
        // An import derives these dates where a line leaves them out; null means that there is none.
        rule status_modified_date: Option<Timestamp> as Patch<Timestamp>,
        rule status_new_date: Option<Timestamp> as Patch<Timestamp>,
        rule status_in_progress_date: Option<Timestamp> as Patch<Timestamp>,
        rule status_rejected_date: Option<Timestamp> as Patch<Timestamp>,
        given archived_date: Option<Timestamp>,
        // No body has a place; a write removes it together with the reporter.
        rule latitude: Option<f64>,
        rule longitude: Option<f64>,
        rule accuracy_in_meters: Option<f64>,
        rule last_modified_by_user_id: Option<String> => users,
        derived _project = "project",
        derived _incident_type = "incidentType",
        derived _reported_by_group = "reportedByGroup",
        derived _follow_up_group = "followUpGroup",
        derived _responsible = "responsible",
        derived _responsible_display_name = "responsibleDisplayName",
        derived _number_of_comments = "numberOfComments",
    }
}

/// A category or a cause in the line of an incident.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
#[allow(missing_docs, reason = "the fields are columns and have their names")]
pub struct PartLine {
    pub id: i32,
    #[serde(default, skip_serializing, rename = "title")]
    pub _title: Derived,
}

/// A consequence in the line of an incident.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
#[allow(missing_docs, reason = "the fields are columns and have their names")]
pub struct ConsequenceLine {
    pub id: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<f64>,
    #[serde(default, skip_serializing, rename = "unit")]
    pub _unit: Derived,
    #[serde(default, skip_serializing, rename = "title")]
    pub _title: Derived,
}

/// The value of a custom field in the line of an incident.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
#[allow(missing_docs, reason = "the fields are columns and have their names")]
pub struct CustomFieldLine {
    pub id: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_list_value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_list_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_list_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registration_date: Option<Timestamp>,
    #[serde(default, skip_serializing, rename = "label")]
    pub _label: Derived,
    #[serde(default, skip_serializing, rename = "type")]
    pub _kind: Derived,
}

/// What a body asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IncidentChange {
    /// The status to move to.
    pub status: Option<IncidentStatus>,
    /// The severity to set.
    pub severity: Option<Severity>,
    /// When it was resolved, in ticks, to set or empty.
    pub resolved_date: Change<i64>,
    /// The evaluation to set or empty.
    pub evaluation_status: Change<Evaluation>,
    /// What is set as it is.
    pub fields: IncidentFields,
}

impl IncidentChange {
    /// Whether the body names the responsible user or the follow-up group, so that the rule between them has
    /// to hold afterwards.
    pub fn names_responsible(&self) -> bool {
        self.fields.responsible_user_id.is_some() || self.fields.follow_up_group_id.is_some()
    }
}

impl IncidentRow {
    /// The columns that tell or may tell who reported it: where it was reported, and who changed it last.
    /// [`Self::forget_reporter`] empties them, and the audit log leaves them out.
    pub(crate) const REPORTER: [&'static str; 6] = [
        "reported_by_user_id",
        "reported_by",
        "latitude",
        "longitude",
        "accuracy_in_meters",
        "last_modified_by_user_id",
    ];

    /// The incident that a body creates, reported now (in ticks), by `reporter` if a user is named.
    ///
    /// # Errors
    /// 409 `incident.evaluation`.
    pub fn created(
        change: IncidentChange,
        reporter: Option<String>,
        now: i64,
    ) -> Result<Self, DomainError> {
        let state = State::created(
            change.status.unwrap_or(IncidentStatus::New),
            change.resolved_date.flatten(),
            now,
        );
        let reported = Self {
            reported_by_user_id: reporter,
            reported_date: now,
            ..Self::default()
        };
        reported.with(change, state)
    }

    /// The incident after a body.
    ///
    /// # Errors
    /// 409 `incident.transition`, 409 `incident.evaluation`.
    pub fn changed(self, change: IncidentChange, now: i64) -> Result<Self, DomainError> {
        let state = self
            .state()
            .changed(change.status, change.resolved_date, now)?;
        self.with(change, state)
    }

    fn with(self, change: IncidentChange, state: State) -> Result<Self, DomainError> {
        let mut next = self.clone();
        next.set_state(state);
        if let Some(severity) = change.severity {
            next.severity = Variant::from_enum(severity);
        }
        let evaluation = change.evaluation_status;
        apply(
            &mut next.evaluation_status,
            evaluation.map(|set| set.map(Variant::from_enum)),
        );
        next.apply(change.fields);
        let is_evaluated = next.evaluation_status.is_some()
            && next.evaluation_status != self.evaluation_status
            || next.evaluation_text.is_some() && next.evaluation_text != self.evaluation_text;
        check_evaluation(is_evaluated, state.status)?;
        if forgets_reporter(self.is_anonymous, next.is_anonymous) {
            next.forget_reporter();
        }
        Ok(next)
    }

    /// Removes who reported it, and what may tell.
    pub fn forget_reporter(&mut self) {
        self.reported_by_user_id = None;
        self.reported_by = None;
        self.latitude = None;
        self.longitude = None;
        self.accuracy_in_meters = None;
        self.last_modified_by_user_id = None;
    }

    fn state(&self) -> State {
        let ticks = |date: Option<Timestamp>| date.map(Timestamp::ticks);
        State {
            status: self.status.to_enum(),
            resolved: ticks(self.resolved_date),
            modified: ticks(self.status_modified_date),
            new: ticks(self.status_new_date),
            in_progress: ticks(self.status_in_progress_date),
            rejected: ticks(self.status_rejected_date),
        }
    }

    fn set_state(&mut self, state: State) {
        let instant = |ticks: Option<i64>| ticks.and_then(Timestamp::from_ticks);
        self.status = Variant::from_enum(state.status);
        self.resolved_date = instant(state.resolved);
        self.status_modified_date = instant(state.modified);
        self.status_new_date = instant(state.new);
        self.status_in_progress_date = instant(state.in_progress);
        self.status_rejected_date = instant(state.rejected);
    }
}

#[cfg(test)]
mod tests;
