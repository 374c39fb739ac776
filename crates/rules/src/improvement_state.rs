//! The stages of an improvement, and the date that each one has.
//!
//! Suggested, Planned, InProgress, Implemented and Evaluated follow one another in any direction. Archived
//! may follow any status, and only Activated follows it. Open is not one of the stages; it is reached from
//! Suggested and left to Suggested.

use super::enums::ClosedEnum;
use super::enums::ImprovementStatus::{
    self, Activated, Archived, Evaluated, Implemented, InProgress, Open, Planned, Suggested,
};
use super::error::DomainError;

/// The stages with a date, in their order.
pub(crate) const STAGES: [ImprovementStatus; 5] =
    [Suggested, Planned, InProgress, Implemented, Evaluated];

/// The status and every date that belongs to it. Instants are 100 ns ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// The status; never Activated.
    pub status: ImprovementStatus,
    /// When each of [`STAGES`] was entered.
    pub dates: [Option<i64>; STAGES.len()],
    /// When it was archived.
    pub archived: Option<i64>,
    /// The status it had when it was archived, if that is known.
    pub archived_from: Option<ImprovementStatus>,
}

impl State {
    /// The state of an improvement that is new.
    pub fn suggested(now: i64) -> State {
        let mut dates = [None; STAGES.len()];
        dates[0] = Some(now);
        State {
            status: Suggested,
            dates,
            archived: None,
            archived_from: None,
        }
    }

    /// The state after a request for `to`.
    ///
    /// # Errors
    /// 409 `improvement.transition` when `to` may not follow.
    pub fn changed(self, to: Option<ImprovementStatus>, now: i64) -> Result<State, DomainError> {
        let Some(to) = to.filter(|to| *to != self.status) else {
            return Ok(self);
        };
        let allowed = allowed(self.status);
        if !allowed.contains(&to) {
            let words: Vec<_> = allowed.iter().map(|status| status.name()).collect();
            return Err(DomainError::transition(
                "improvement.transition",
                "An improvement",
                self.status.name(),
                to.name(),
                &words,
            ));
        }
        Ok(match to {
            Archived => State {
                status: Archived,
                archived: Some(now),
                archived_from: Some(self.status),
                ..self
            },
            Activated => self.activated(now),
            to => self.entered(to, now),
        })
    }

    /// Enters a stage: its date if it has none, and no dates of later ones.
    fn entered(self, status: ImprovementStatus, now: i64) -> State {
        let mut state = State { status, ..self };
        if let Some(place) = place(status) {
            state.dates[place].get_or_insert(now);
            state.dates[place + 1..].fill(None);
        }
        state
    }

    /// Restores the status before it was archived; if that is unknown, the last stage that has a date.
    fn activated(self, now: i64) -> State {
        let last = (0..STAGES.len()).rfind(|place| self.dates[*place].is_some());
        let status = self
            .archived_from
            .or(last.map(|place| STAGES[place]))
            .unwrap_or(Suggested);
        State {
            archived: None,
            archived_from: None,
            ..self
        }
        .entered(status, now)
    }
}

fn place(status: ImprovementStatus) -> Option<usize> {
    STAGES.iter().position(|stage| *stage == status)
}

/// What may follow a status.
pub fn allowed(from: ImprovementStatus) -> &'static [ImprovementStatus] {
    match from {
        Suggested => &[Planned, InProgress, Implemented, Evaluated, Archived, Open],
        Planned => &[Suggested, InProgress, Implemented, Evaluated, Archived],
        InProgress => &[Suggested, Planned, Implemented, Evaluated, Archived],
        Implemented => &[Suggested, Planned, InProgress, Evaluated, Archived],
        Evaluated => &[Suggested, Planned, InProgress, Implemented, Archived],
        Open => &[Suggested, Archived],
        // Activated is never stored; if it were, it would be treated as Archived.
        Archived | Activated => &[Activated],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(status: ImprovementStatus) -> State {
        // Every stage up to the current one has a date: 10, 20, …
        let reached = place(status).map_or(0, |place| place + 1);
        let dates =
            std::array::from_fn(|place| (place < reached).then_some(10 * (place as i64 + 1)));
        State {
            status,
            dates,
            archived: None,
            archived_from: None,
        }
    }

    /// Columns: Suggested, Planned, InProgress, Implemented, Evaluated, Archived, Activated, Open. `=` the
    /// current status, `+` allowed, `-` refused.
    const TABLE: [(ImprovementStatus, &str); 7] = [
        (Suggested, "=+++++-+"),
        (Planned, "+=++++--"),
        (InProgress, "++=+++--"),
        (Implemented, "+++=++--"),
        (Evaluated, "++++=+--"),
        (Archived, "-----=+-"),
        (Open, "+----+-="),
    ];

    #[test]
    fn every_cell_of_the_table() {
        for (from, row) in TABLE {
            for (to, cell) in ImprovementStatus::ALL.iter().copied().zip(row.chars()) {
                let changed = state(from).changed(Some(to), 99);
                match cell {
                    '=' => assert_eq!(changed, Ok(state(from)), "{from:?} to {to:?}"),
                    '+' => assert!(changed.is_ok(), "{from:?} to {to:?}: {changed:?}"),
                    _ => assert!(
                        matches!(
                            changed,
                            Err(DomainError::Conflict {
                                code: "improvement.transition",
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
    fn entering_a_stage_writes_its_date_once_and_skipped_ones_stay_empty() {
        let after = state(Planned)
            .changed(Some(Implemented), 99)
            .expect("a state");
        assert_eq!(after.dates, [Some(10), Some(20), None, Some(99), None]);
        let mut dated = state(Planned);
        dated.dates[3] = Some(77);
        assert_eq!(
            dated.changed(Some(Implemented), 99).expect("a state").dates[3],
            Some(77)
        );
    }

    #[test]
    fn going_back_empties_the_later_dates_and_keeps_its_own() {
        let after = state(Evaluated)
            .changed(Some(Planned), 99)
            .expect("a state");
        assert_eq!(
            after,
            State {
                dates: [Some(10), Some(20), None, None, None],
                ..state(Planned)
            }
        );
    }

    #[test]
    fn archived_and_activated_again() {
        for stage in [Suggested, Planned, InProgress, Implemented, Evaluated, Open] {
            let archived = state(stage).changed(Some(Archived), 99).expect("a state");
            assert_eq!(
                archived,
                State {
                    status: Archived,
                    archived: Some(99),
                    archived_from: Some(stage),
                    ..state(stage)
                }
            );
            assert_eq!(
                archived.changed(Some(Activated), 120),
                Ok(state(stage)),
                "{stage:?}"
            );
        }
    }

    #[test]
    fn an_archived_one_of_unknown_past_goes_back_to_its_last_dated_stage() {
        let imported = State {
            status: Archived,
            archived: Some(60),
            ..state(InProgress)
        };
        assert_eq!(imported.changed(Some(Activated), 99), Ok(state(InProgress)));
        let undated = State {
            dates: [None; 5],
            ..imported
        };
        let after = undated.changed(Some(Activated), 99).expect("a state");
        assert_eq!(
            (after.status, after.dates),
            (Suggested, [Some(99), None, None, None, None])
        );
    }

    #[test]
    fn open_has_no_date_of_its_own() {
        let open = state(Suggested).changed(Some(Open), 99).expect("a state");
        assert_eq!((open.status, open.dates), (Open, state(Suggested).dates));
        assert_eq!(
            state(Open)
                .changed(Some(Suggested), 99)
                .expect("a state")
                .dates[0],
            Some(99)
        );
    }

    #[test]
    fn a_refusal_names_from_to_and_what_is_allowed() {
        match state(Open).changed(Some(Planned), 99) {
            Err(DomainError::Conflict { detail, .. }) => assert_eq!(
                detail,
                "An improvement that is Open cannot become Planned. From Open it may become Suggested or Archived."
            ),
            other => panic!("{other:?}"),
        }
    }
}
