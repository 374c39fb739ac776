//! The states of an incident: which may follow which, and the dates that a change writes.
//!
//! New → InProgress, Resolved, Rejected; InProgress → New, Resolved, Rejected; Resolved and Rejected →
//! InProgress.

use super::Change;
use super::enums::ClosedEnum;
use super::enums::IncidentStatus::{self, InProgress, New, Rejected, Resolved};
use super::error::DomainError;

/// The status and every date that belongs to it. Instants are 100 ns ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// The status.
    pub status: IncidentStatus,
    /// When it was resolved; `None` unless it is.
    pub resolved: Option<i64>,
    /// When the status last changed.
    pub modified: Option<i64>,
    /// When it last became New.
    pub new: Option<i64>,
    /// When it last became InProgress.
    pub in_progress: Option<i64>,
    /// When it last became Rejected.
    pub rejected: Option<i64>,
}

impl State {
    /// The state of a new incident with this status; `resolved` is the date in its body.
    pub fn created(status: IncidentStatus, resolved: Option<i64>, now: i64) -> State {
        let blank = State {
            status,
            resolved: None,
            modified: None,
            new: None,
            in_progress: None,
            rejected: None,
        };
        blank.entered(status, resolved, now)
    }

    /// The state after a body with the status `to` (`None` if absent) and the `resolvedDate` `resolved`.
    ///
    /// A `resolvedDate` is stored only while the incident is, or becomes, Resolved. Null empties it while it
    /// stays Resolved; when it becomes Resolved, null is the same as absent.
    ///
    /// # Errors
    /// 409 `incident.transition` when `to` may not follow.
    pub fn changed(
        self,
        to: Option<IncidentStatus>,
        resolved: Change<i64>,
        now: i64,
    ) -> Result<State, DomainError> {
        match to {
            Some(to) if to != self.status => {
                if !allowed(self.status).contains(&to) {
                    let words: Vec<_> = allowed(self.status)
                        .iter()
                        .map(|status| status.name())
                        .collect();
                    return Err(DomainError::transition(
                        "incident.transition",
                        "An incident",
                        self.status.name(),
                        to.name(),
                        &words,
                    ));
                }
                Ok(self.entered(to, resolved.flatten(), now))
            }
            _ if self.status == Resolved => Ok(State {
                resolved: resolved.unwrap_or(self.resolved),
                ..self
            }),
            _ => Ok(self),
        }
    }

    fn entered(self, status: IncidentStatus, resolved: Option<i64>, now: i64) -> State {
        let mut state = State {
            status,
            modified: Some(now),
            resolved: None,
            ..self
        };
        match status {
            New => state.new = Some(now),
            InProgress => state.in_progress = Some(now),
            Resolved => state.resolved = resolved.or(Some(now)),
            Rejected => state.rejected = Some(now),
        }
        state
    }
}

/// What may follow a status.
pub fn allowed(from: IncidentStatus) -> &'static [IncidentStatus] {
    match from {
        New => &[InProgress, Resolved, Rejected],
        InProgress => &[New, Resolved, Rejected],
        Resolved | Rejected => &[InProgress],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(status: IncidentStatus) -> State {
        let resolved = (status == Resolved).then_some(50);
        State {
            status,
            resolved,
            modified: Some(40),
            new: Some(10),
            in_progress: Some(20),
            rejected: Some(30),
        }
    }

    /// The table of the design, cell by cell: rows from, columns to; `=` the current status, `+` allowed, `-`
    /// refused.
    const TABLE: [(IncidentStatus, &str); 4] = [
        (New, "=+++"),
        (InProgress, "+=++"),
        (Resolved, "-+=-"),
        (Rejected, "-+-="),
    ];

    #[test]
    fn every_cell_of_the_table() {
        for (from, row) in TABLE {
            for (to, cell) in [New, InProgress, Resolved, Rejected]
                .into_iter()
                .zip(row.chars())
            {
                let changed = state(from).changed(Some(to), None, 99);
                match cell {
                    '=' => assert_eq!(changed, Ok(state(from)), "{from:?} to {to:?}"),
                    '+' => {
                        let after =
                            changed.unwrap_or_else(|fault| panic!("{from:?} to {to:?}: {fault:?}"));
                        assert_eq!((after.status, after.modified), (to, Some(99)));
                        assert_eq!(
                            after.resolved,
                            (to == Resolved).then_some(99),
                            "{from:?} to {to:?}"
                        );
                        assert_eq!(after.new, Some(if to == New { 99 } else { 10 }));
                        assert_eq!(
                            after.in_progress,
                            Some(if to == InProgress { 99 } else { 20 })
                        );
                        assert_eq!(after.rejected, Some(if to == Rejected { 99 } else { 30 }));
                    }
                    _ => assert!(
                        matches!(
                            changed,
                            Err(DomainError::Conflict {
                                code: "incident.transition",
                                ..
                            })
                        ),
                        "{from:?} to {to:?}"
                    ),
                }
            }
        }
    }

    #[test]
    fn a_refusal_names_from_to_and_what_is_allowed() {
        let detail = |from, to| match state(from).changed(Some(to), None, 99) {
            Err(DomainError::Conflict { detail, .. }) => detail,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            detail(Resolved, Rejected),
            "An incident that is Resolved cannot become Rejected. From Resolved it may become InProgress."
        );
    }

    #[test]
    fn the_resolved_date_is_the_bodys_or_now_and_only_for_resolved() {
        let resolved = |from, to, date| {
            state(from)
                .changed(to, date, 99)
                .map(|state| state.resolved)
        };
        let seven = Some(Some(7));
        assert_eq!(resolved(New, Some(Resolved), seven), Ok(Some(7)));
        assert_eq!(resolved(New, Some(Resolved), None), Ok(Some(99)));
        assert_eq!(resolved(New, Some(Resolved), Some(None)), Ok(Some(99)));
        // Changes the date of an incident that stays resolved.
        assert_eq!(resolved(Resolved, None, seven), Ok(Some(7)));
        assert_eq!(resolved(Resolved, Some(Resolved), seven), Ok(Some(7)));
        assert_eq!(resolved(Resolved, None, None), Ok(Some(50)));
        assert_eq!(resolved(Resolved, None, Some(None)), Ok(None));
        // Not stored with any other status.
        assert_eq!(resolved(New, None, seven), Ok(None));
        assert_eq!(resolved(New, Some(InProgress), seven), Ok(None));
        assert_eq!(resolved(Resolved, Some(InProgress), seven), Ok(None));
    }

    #[test]
    fn a_new_incident_may_start_anywhere() {
        assert_eq!(
            State::created(New, Some(7), 99),
            State {
                status: New,
                resolved: None,
                modified: Some(99),
                new: Some(99),
                in_progress: None,
                rejected: None
            }
        );
        assert_eq!(State::created(Resolved, None, 99).resolved, Some(99));
        assert_eq!(State::created(Resolved, Some(7), 99).resolved, Some(7));
        assert_eq!(State::created(Rejected, None, 99).rejected, Some(99));
    }
}
