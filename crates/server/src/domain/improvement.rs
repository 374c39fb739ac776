//! An improvement as the domain sees it, and what a body does to it.

use super::error::DomainError;
use super::improvement_state::State;
use super::words::{Evaluation, ImprovementStatus, Priority};
use super::{Change, apply};

/// Money and hours, spent and gained, in the order of [`AMOUNTS`].
pub(crate) type Amounts<T> = [T; AMOUNTS.len()];

/// The eight amounts of an improvement, as the wire names them.
pub(crate) const AMOUNTS: [&str; 8] = [
    "costOfInvestment",
    "gainOfInvestment",
    "costOfInvestmentHours",
    "gainOfInvestmentHours",
    "estimatedCostOfInvestment",
    "estimatedGainOfInvestment",
    "estimatedCostOfInvestmentHours",
    "estimatedGainOfInvestmentHours",
];

/// What can be changed of an improvement. Instants are 100 ns ticks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Improvement {
    pub(crate) state: State,
    pub(crate) priority: Priority,
    pub(crate) title: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) due_date: Option<i64>,
    pub(crate) external_id: Option<String>,
    pub(crate) links: Links,
    pub(crate) amounts: Amounts<Option<f64>>,
    pub(crate) evaluation: Option<Evaluation>,
    pub(crate) evaluation_text: Option<String>,
}

/// The records an improvement points to, each by its id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Links {
    pub(crate) group_id: Option<i32>,
    pub(crate) category_id: Option<i32>,
    pub(crate) project_id: Option<i32>,
    pub(crate) suggested_by_user_id: Option<String>,
    pub(crate) responsible_user_id: Option<String>,
}

/// What a body asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ImprovementChange {
    pub(crate) status: Option<ImprovementStatus>,
    pub(crate) priority: Option<Priority>,
    pub(crate) title: Change<String>,
    pub(crate) text: Change<String>,
    pub(crate) due_date: Change<i64>,
    pub(crate) external_id: Change<String>,
    pub(crate) group_id: Change<i32>,
    pub(crate) category_id: Change<i32>,
    pub(crate) project_id: Change<i32>,
    pub(crate) suggested_by_user_id: Change<String>,
    pub(crate) responsible_user_id: Change<String>,
    pub(crate) amounts: Amounts<Change<f64>>,
    pub(crate) evaluation: Change<Evaluation>,
    pub(crate) evaluation_text: Change<String>,
}

impl Improvement {
    /// The improvement that a body creates: suggested now, and then moved to the status that is asked for.
    ///
    /// # Errors
    /// 409 `improvement.transition`.
    pub(crate) fn created(change: ImprovementChange, now: i64) -> Result<Improvement, DomainError> {
        let suggested = Improvement {
            state: State::suggested(now),
            priority: Priority::NotPrioritized,
            title: None,
            text: None,
            due_date: None,
            external_id: None,
            links: Links::default(),
            amounts: [None; AMOUNTS.len()],
            evaluation: None,
            evaluation_text: None,
        };
        suggested.changed(change, now)
    }

    /// The improvement after a body.
    ///
    /// # Errors
    /// 409 `improvement.transition`.
    pub(crate) fn changed(
        mut self,
        change: ImprovementChange,
        now: i64,
    ) -> Result<Improvement, DomainError> {
        self.state = self.state.changed(change.status, now)?;
        self.priority = change.priority.unwrap_or(self.priority);
        apply(&mut self.title, change.title);
        apply(&mut self.text, change.text);
        apply(&mut self.due_date, change.due_date);
        apply(&mut self.external_id, change.external_id);
        apply(&mut self.evaluation, change.evaluation);
        apply(&mut self.evaluation_text, change.evaluation_text);
        apply(&mut self.links.group_id, change.group_id);
        apply(&mut self.links.category_id, change.category_id);
        apply(&mut self.links.project_id, change.project_id);
        apply(
            &mut self.links.suggested_by_user_id,
            change.suggested_by_user_id,
        );
        apply(
            &mut self.links.responsible_user_id,
            change.responsible_user_id,
        );
        for (amount, change) in self.amounts.iter_mut().zip(change.amounts) {
            apply(amount, change);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn improvement() -> Improvement {
        Improvement {
            state: State {
                status: ImprovementStatus::Suggested,
                dates: [Some(10), None, None, None, None],
                archived: None,
                archived_from: None,
            },
            priority: Priority::NotPrioritized,
            title: Some("Second clamp".into()),
            text: None,
            due_date: Some(70),
            external_id: Some("i-1".into()),
            links: Links {
                group_id: Some(4),
                responsible_user_id: Some("u-1".into()),
                ..Links::default()
            },
            amounts: [
                Some(1.0),
                Some(2.0),
                Some(3.0),
                Some(4.0),
                Some(5.0),
                Some(6.0),
                Some(7.0),
                Some(8.0),
            ],
            evaluation: None,
            evaluation_text: None,
        }
    }

    #[test]
    fn an_empty_body_changes_nothing() {
        assert_eq!(
            improvement().changed(ImprovementChange::default(), 99),
            Ok(improvement())
        );
    }

    #[test]
    fn a_new_improvement_is_suggested_now_whatever_it_becomes_then() {
        let created = |status| {
            let change = ImprovementChange {
                status,
                title: Some(Some("Light".into())),
                ..ImprovementChange::default()
            };
            Improvement::created(change, 99).map(|created| created.state)
        };
        let suggested = State::suggested(99);
        assert_eq!(created(None), Ok(suggested));
        assert_eq!(created(Some(ImprovementStatus::Suggested)), Ok(suggested));
        let in_progress = State {
            status: ImprovementStatus::InProgress,
            dates: [Some(99), None, Some(99), None, None],
            ..suggested
        };
        assert_eq!(
            created(Some(ImprovementStatus::InProgress)),
            Ok(in_progress)
        );
        let archived = created(Some(ImprovementStatus::Archived)).expect("a state");
        assert_eq!(
            (archived.archived, archived.dates),
            (Some(99), suggested.dates)
        );
        let open = created(Some(ImprovementStatus::Open)).expect("a state");
        assert_eq!(open.dates, suggested.dates);
        assert!(matches!(
            created(Some(ImprovementStatus::Activated)),
            Err(DomainError::Conflict {
                code: "improvement.transition",
                ..
            })
        ));
    }

    #[test]
    fn absent_leaves_null_empties_and_a_value_sets() {
        let mut amounts = [None; 8];
        amounts[1] = Some(None);
        amounts[3] = Some(Some(120.5));
        let change = ImprovementChange {
            due_date: Some(None),
            text: Some(Some("At station 4".into())),
            group_id: Some(None),
            evaluation: Some(Some(Evaluation::Bad)),
            amounts,
            ..ImprovementChange::default()
        };
        let after = improvement().changed(change, 99).expect("an improvement");
        assert_eq!(
            (
                after.due_date,
                after.text.as_deref(),
                after.title.as_deref()
            ),
            (None, Some("At station 4"), Some("Second clamp"))
        );
        assert_eq!(
            (
                after.links.group_id,
                after.links.responsible_user_id.as_deref()
            ),
            (None, Some("u-1"))
        );
        assert_eq!(
            after.amounts,
            [
                Some(1.0),
                None,
                Some(3.0),
                Some(120.5),
                Some(5.0),
                Some(6.0),
                Some(7.0),
                Some(8.0)
            ]
        );
        assert_eq!(after.evaluation, Some(Evaluation::Bad));
    }
}
