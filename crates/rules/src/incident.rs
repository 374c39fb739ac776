//! An incident as the domain sees it, and what a body does to it.

use super::error::DomainError;
use super::incident_state::State;
use super::words::{Evaluation, IncidentStatus, Severity, Word};
use super::{Change, apply};

/// What can be changed of an incident, its categories and the like apart. Instants are 100 ns ticks, dates
/// days.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields have the names of the contract")]
pub struct Incident {
    pub incident_type_id: i32,
    pub severity: Severity,
    pub title: String,
    pub text: Option<String>,
    pub incident_date: i64,
    pub due_date: Option<i64>,
    pub is_anonymous: bool,
    pub external_id: Option<String>,
    pub places: Places,
    pub state: State,
    pub evaluation: Option<Evaluation>,
    pub evaluation_text: Option<String>,
}

/// The records an incident points to, each by its id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields have the names of the contract")]
pub struct Places {
    pub reported_by_group_id: Option<i32>,
    pub follow_up_group_id: Option<i32>,
    pub responsible_user_id: Option<String>,
    pub area_id: Option<i32>,
    pub project_id: Option<i32>,
}

/// What a body asks for. The four that every body holds are plain.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields have the names of the contract")]
pub struct IncidentChange {
    pub incident_type_id: i32,
    pub severity: Severity,
    pub title: String,
    pub incident_date: i64,
    pub status: Option<IncidentStatus>,
    pub resolved_date: Change<i64>,
    pub due_date: Change<i64>,
    pub text: Change<String>,
    pub is_anonymous: Option<bool>,
    pub external_id: Change<String>,
    pub reported_by_group_id: Change<i32>,
    pub follow_up_group_id: Change<i32>,
    pub responsible_user_id: Change<String>,
    pub area_id: Change<i32>,
    pub project_id: Change<i32>,
    pub evaluation: Change<Evaluation>,
    pub evaluation_text: Change<String>,
}

impl IncidentChange {
    /// What leaves the incident as it is, to be filled in with what is asked.
    pub fn nothing(incident: &Incident) -> IncidentChange {
        IncidentChange {
            incident_type_id: incident.incident_type_id,
            severity: incident.severity,
            title: incident.title.clone(),
            incident_date: incident.incident_date,
            status: None,
            resolved_date: None,
            due_date: None,
            text: None,
            is_anonymous: None,
            external_id: None,
            reported_by_group_id: None,
            follow_up_group_id: None,
            responsible_user_id: None,
            area_id: None,
            project_id: None,
            evaluation: None,
            evaluation_text: None,
        }
    }

    /// Whether the body names the responsible user or the follow-up group, so that the rule between them has
    /// to hold afterwards.
    pub fn names_responsible(&self) -> bool {
        self.responsible_user_id.is_some() || self.follow_up_group_id.is_some()
    }
}

impl Incident {
    /// The incident that a body creates.
    ///
    /// # Errors
    /// 409 `incident.evaluation`.
    pub fn created(change: IncidentChange, now: i64) -> Result<Incident, DomainError> {
        let state = State::created(
            change.status.unwrap_or(IncidentStatus::New),
            change.resolved_date.flatten(),
            now,
        );
        let blank = Incident {
            incident_type_id: change.incident_type_id,
            severity: change.severity,
            title: String::new(),
            text: None,
            incident_date: change.incident_date,
            due_date: None,
            is_anonymous: false,
            external_id: None,
            places: Places::default(),
            state,
            evaluation: None,
            evaluation_text: None,
        };
        blank.with(change, state)
    }

    /// The incident after a body.
    ///
    /// # Errors
    /// 409 `incident.transition`, 409 `incident.evaluation`.
    pub fn changed(self, change: IncidentChange, now: i64) -> Result<Incident, DomainError> {
        let state = self
            .state
            .changed(change.status, change.resolved_date, now)?;
        self.with(change, state)
    }

    fn with(self, change: IncidentChange, state: State) -> Result<Incident, DomainError> {
        let mut next = Incident {
            incident_type_id: change.incident_type_id,
            severity: change.severity,
            title: change.title,
            incident_date: change.incident_date,
            state,
            ..self.clone()
        };
        apply(&mut next.text, change.text);
        apply(&mut next.due_date, change.due_date);
        apply(&mut next.external_id, change.external_id);
        apply(
            &mut next.places.reported_by_group_id,
            change.reported_by_group_id,
        );
        apply(
            &mut next.places.follow_up_group_id,
            change.follow_up_group_id,
        );
        apply(
            &mut next.places.responsible_user_id,
            change.responsible_user_id,
        );
        apply(&mut next.places.area_id, change.area_id);
        apply(&mut next.places.project_id, change.project_id);
        apply(&mut next.evaluation, change.evaluation);
        apply(&mut next.evaluation_text, change.evaluation_text);
        next.is_anonymous = change.is_anonymous.unwrap_or(next.is_anonymous);
        self.may_be_evaluated(&next)?;
        Ok(next)
    }

    /// An evaluation is written only on a resolved incident. Repeating the present one, as a client does that
    /// sends back what it read, writes nothing; nor does taking it back.
    fn may_be_evaluated(&self, next: &Incident) -> Result<(), DomainError> {
        let word_written = next.evaluation.is_some() && next.evaluation != self.evaluation;
        let text_written =
            next.evaluation_text.is_some() && next.evaluation_text != self.evaluation_text;
        if !(word_written || text_written) || next.state.status == IncidentStatus::Resolved {
            return Ok(());
        }
        let status = next.state.status.word();
        let detail =
            format!("An incident can be evaluated once it is Resolved; this one is {status}.");
        Err(DomainError::Conflict {
            code: "incident.evaluation",
            detail,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> IncidentChange {
        IncidentChange {
            incident_type_id: 3,
            severity: Severity::Low,
            title: "Crack".into(),
            incident_date: 20_000,
            status: None,
            resolved_date: None,
            due_date: None,
            text: None,
            is_anonymous: None,
            external_id: None,
            reported_by_group_id: None,
            follow_up_group_id: None,
            responsible_user_id: None,
            area_id: None,
            project_id: None,
            evaluation: None,
            evaluation_text: None,
        }
    }

    fn full() -> Incident {
        let change = IncidentChange {
            due_date: Some(Some(70)),
            text: Some(Some("Left flange".into())),
            is_anonymous: Some(true),
            external_id: Some(Some("c100".into())),
            reported_by_group_id: Some(Some(4)),
            follow_up_group_id: Some(Some(5)),
            responsible_user_id: Some(Some("u-1".into())),
            area_id: Some(Some(2)),
            project_id: Some(Some(9)),
            ..asked()
        };
        Incident::created(change, 99).expect("an incident")
    }

    #[test]
    fn a_change_of_nothing_changes_nothing() {
        let incident = full();
        let change = IncidentChange::nothing(&incident);
        assert!(!change.names_responsible());
        assert_eq!(incident.clone().changed(change, 99), Ok(incident));
    }

    #[test]
    fn a_new_incident_is_new_and_holds_what_the_body_holds() {
        let incident = full();
        assert_eq!(incident.state.status, IncidentStatus::New);
        assert_eq!(
            (incident.title.as_str(), incident.text.as_deref()),
            ("Crack", Some("Left flange"))
        );
        assert_eq!(
            (
                incident.incident_date,
                incident.due_date,
                incident.is_anonymous
            ),
            (20_000, Some(70), true)
        );
        assert_eq!(
            incident.places,
            Places {
                reported_by_group_id: Some(4),
                follow_up_group_id: Some(5),
                responsible_user_id: Some("u-1".into()),
                area_id: Some(2),
                project_id: Some(9),
            }
        );
    }

    #[test]
    fn absent_leaves_and_null_empties() {
        let after = full().changed(asked(), 100);
        assert_eq!(after, Ok(full()));

        let nulls = IncidentChange {
            due_date: Some(None),
            text: Some(None),
            external_id: Some(None),
            reported_by_group_id: Some(None),
            follow_up_group_id: Some(None),
            responsible_user_id: Some(None),
            area_id: Some(None),
            project_id: Some(None),
            ..asked()
        };
        let after = full().changed(nulls, 100).expect("an incident");
        assert_eq!(after.places, Places::default());
        assert_eq!(
            (after.due_date, after.text, after.external_id),
            (None, None, None)
        );
    }

    #[test]
    fn an_evaluation_waits_for_resolved() {
        let evaluated = |status| {
            full().changed(
                IncidentChange {
                    status,
                    evaluation: Some(Some(Evaluation::Good)),
                    evaluation_text: Some(Some("Held".into())),
                    ..asked()
                },
                100,
            )
        };
        let refused = |result: Result<Incident, DomainError>| {
            matches!(
                result,
                Err(DomainError::Conflict {
                    code: "incident.evaluation",
                    ..
                })
            )
        };
        assert!(refused(evaluated(None)));
        assert!(refused(evaluated(Some(IncidentStatus::Rejected))));
        let resolved = evaluated(Some(IncidentStatus::Resolved)).expect("an incident");
        assert_eq!(resolved.evaluation, Some(Evaluation::Good));

        // Reopened, it keeps its evaluation; sending it back unchanged is no writing, another one is.
        let echo = IncidentChange {
            status: Some(IncidentStatus::InProgress),
            evaluation: Some(Some(Evaluation::Good)),
            evaluation_text: Some(Some("Held".into())),
            ..asked()
        };
        let reopened = resolved.changed(echo.clone(), 101).expect("an incident");
        assert_eq!(
            (reopened.evaluation, reopened.state.resolved),
            (Some(Evaluation::Good), None)
        );
        assert!(refused(reopened.clone().changed(
            IncidentChange {
                evaluation: Some(Some(Evaluation::Bad)),
                ..echo.clone()
            },
            102
        )));
        assert!(refused(reopened.clone().changed(
            IncidentChange {
                evaluation_text: Some(Some("Broke".into())),
                ..echo
            },
            102
        )));
        // Taking it back is none either.
        let nulls = IncidentChange {
            evaluation: Some(None),
            evaluation_text: Some(None),
            ..asked()
        };
        let bare = reopened.changed(nulls, 103).expect("an incident");
        assert_eq!((bare.evaluation, bare.evaluation_text), (None, None));
        assert!(refused(Incident::created(
            IncidentChange {
                evaluation: Some(Some(Evaluation::Good)),
                ..asked()
            },
            99
        )));
    }
}
