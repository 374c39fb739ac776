//! Improvements as they are stored, and what a body does to one.

use obeya_model::{ImprovementCreate, ImprovementUpdate, Patch, Timestamp};

use crate::table::table;
use crate::variant::Variant;
use obeya_rules::Change;
use obeya_rules::enums::{Evaluation, ImprovementStatus, Priority, Stage, StoredImprovementStatus};
use obeya_rules::error::DomainError;
use obeya_rules::improvement_state::State;

table! {
    /// An improvement.
    improvements: ImprovementRow, ImprovementLine, ImprovementFields from ImprovementUpdate, ImprovementCreate {
        key id: i32,
        rule status: Variant<StoredImprovementStatus>,
        rule priority_status: Variant<Priority>,
        body group_id: Option<i32> => groups,
        body title: Option<String>,
        body text: Option<String>,
        body category_id: Option<i32> => improvement_categories,
        also category: Option<String>,
        body project_id: Option<i32> => projects,
        // In ticks.
        stamp last_modified: i64 as Option<Timestamp>,
        rule last_modified_by_user_id: Option<String>,
        body suggested_by_user_id: Option<String> => users,
        rule suggested_by: Option<String>,
        rule suggestion_date: Option<Timestamp>,
        body due_date: Option<Timestamp>,
        rule planned_date: Option<Timestamp>,
        rule in_progress_date: Option<Timestamp>,
        rule implemented_date: Option<Timestamp>,
        rule evaluated_date: Option<Timestamp>,
        rule archived_date: Option<Timestamp>,
        rule archived_from: Option<Variant<Stage>> as Patch<Variant<Stage>>,
        body responsible_user_id: Option<String> => users,
        given attachment_count: i32,
        given action_list_count: i32,
        given comment_count: i32,
        given like_count: i32,
        body external_id: Option<String>,
        body cost_of_investment: Option<f64>,
        body gain_of_investment: Option<f64>,
        body cost_of_investment_hours: Option<f64>,
        body gain_of_investment_hours: Option<f64>,
        body estimated_cost_of_investment: Option<f64>,
        body estimated_gain_of_investment: Option<f64>,
        body estimated_cost_of_investment_hours: Option<f64>,
        body estimated_gain_of_investment_hours: Option<f64>,
        rule evaluation_status: Option<Variant<Evaluation>>,
        body evaluation_text: Option<String>,
        derived _group = "group",
        derived _project = "project",
        derived _responsible_user = "responsibleUser",
        derived _responsible_display_name = "responsibleDisplayName",
    }
}

/// What a body asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImprovementChange {
    /// The status to move to.
    pub status: Option<ImprovementStatus>,
    /// The priority to set.
    pub priority_status: Option<Priority>,
    /// The evaluation to set or empty.
    pub evaluation_status: Change<Evaluation>,
    /// What is set as it is.
    pub fields: ImprovementFields,
}

impl ImprovementRow {
    /// The improvement that a body creates: suggested now (in ticks), and then moved to the status that is
    /// asked for.
    ///
    /// # Errors
    /// 409 `improvement.transition`.
    pub fn created(change: ImprovementChange, now: i64) -> Result<Self, DomainError> {
        let mut suggested = Self::default();
        suggested.set_state(State::suggested(now));
        suggested.changed(change, now)
    }

    /// The improvement after a body.
    ///
    /// # Errors
    /// 409 `improvement.transition`.
    pub fn changed(mut self, change: ImprovementChange, now: i64) -> Result<Self, DomainError> {
        self.set_state(self.state().changed(change.status, now)?);
        if let Some(priority) = change.priority_status {
            self.priority_status = Variant::from_enum(priority);
        }
        if let Some(evaluation) = change.evaluation_status {
            self.evaluation_status = evaluation.map(Variant::from_enum);
        }
        let suggested_by = self.suggested_by_user_id.clone();
        self.apply(change.fields);
        if self.suggested_by_user_id != suggested_by {
            // The name belonged to the former user.
            self.suggested_by = None;
        }
        Ok(self)
    }

    fn state(&self) -> State {
        let dates = [
            self.suggestion_date,
            self.planned_date,
            self.in_progress_date,
            self.implemented_date,
            self.evaluated_date,
        ];
        State {
            status: self.status.to_enum(),
            dates: dates.map(|date| date.map(Timestamp::ticks)),
            archived: self.archived_date.map(Timestamp::ticks),
            archived_from: self.archived_from.map(Variant::to_enum),
        }
    }

    fn set_state(&mut self, state: State) {
        let instant = |ticks: Option<i64>| ticks.and_then(Timestamp::from_ticks);
        self.status = Variant::from_enum(state.status);
        let [suggested, planned, in_progress, implemented, evaluated] = state.dates.map(instant);
        self.suggestion_date = suggested;
        self.planned_date = planned;
        self.in_progress_date = in_progress;
        self.implemented_date = implemented;
        self.evaluated_date = evaluated;
        self.archived_date = instant(state.archived);
        self.archived_from = state.archived_from.map(Variant::from_enum);
    }
}

#[cfg(test)]
mod tests;
