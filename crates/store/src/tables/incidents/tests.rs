//! What a body does to an incident.

use super::*;
use crate::Value;

fn instant(ticks: i64) -> Option<Timestamp> {
    Timestamp::from_ticks(ticks)
}

fn day() -> Date {
    Date::from_days(20_000).expect("a day")
}

/// What every body holds.
fn asked() -> IncidentChange {
    IncidentChange {
        severity: Some(Severity::Low),
        fields: IncidentFields {
            incident_type_id: Some(3),
            title: Some("Crack".into()),
            incident_date: Some(day()),
            ..IncidentFields::default()
        },
        ..IncidentChange::default()
    }
}

fn full() -> IncidentRow {
    let change = IncidentChange {
        fields: IncidentFields {
            due_date: Some(instant(70)),
            text: Some(Some("Left flange".into())),
            is_anonymous: Some(true),
            external_id: Some(Some("c100".into())),
            reported_by_group_id: Some(Some(4)),
            follow_up_group_id: Some(Some(5)),
            responsible_user_id: Some(Some("u-1".into())),
            area_id: Some(Some(2)),
            project_id: Some(Some(9)),
            ..asked().fields
        },
        ..asked()
    };
    IncidentRow::created(change, Some("u-7".into()), 99).expect("an incident")
}

#[test]
fn a_change_of_nothing_changes_nothing() {
    let incident = full();
    let change = IncidentChange::default();
    assert!(!change.names_responsible());
    assert_eq!(incident.clone().changed(change, 99), Ok(incident));
}

#[test]
fn a_new_incident_is_new_and_holds_what_the_body_holds() {
    let expected = IncidentRow {
        incident_type_id: 3,
        title: "Crack".into(),
        incident_date: day(),
        text: Some("Left flange".into()),
        status: Variant::from_enum(IncidentStatus::New),
        severity: Variant::from_enum(Severity::Low),
        project_id: Some(9),
        area_id: Some(2),
        reported_by_group_id: Some(4),
        reported_by_user_id: Some("u-7".into()),
        reported_date: 99,
        follow_up_group_id: Some(5),
        responsible_user_id: Some("u-1".into()),
        due_date: instant(70),
        is_anonymous: true,
        external_id: Some("c100".into()),
        status_modified_date: instant(99),
        status_new_date: instant(99),
        ..IncidentRow::default()
    };
    assert_eq!(full(), expected);
}

#[test]
fn absent_leaves_and_null_empties() {
    let after = full().changed(asked(), 100);
    assert_eq!(after, Ok(full()));

    let nulls = IncidentChange {
        fields: IncidentFields {
            due_date: Some(None),
            text: Some(None),
            external_id: Some(None),
            reported_by_group_id: Some(None),
            follow_up_group_id: Some(None),
            responsible_user_id: Some(None),
            area_id: Some(None),
            project_id: Some(None),
            ..asked().fields
        },
        ..asked()
    };
    let after = full().changed(nulls, 100).expect("an incident");
    let expected = IncidentRow {
        due_date: None,
        text: None,
        external_id: None,
        reported_by_group_id: None,
        follow_up_group_id: None,
        responsible_user_id: None,
        area_id: None,
        project_id: None,
        ..full()
    };
    assert_eq!(after, expected);
}

#[test]
fn an_evaluation_waits_for_resolved() {
    let evaluation = |evaluation, text: &str| IncidentChange {
        evaluation_status: Some(Some(evaluation)),
        fields: IncidentFields {
            evaluation_text: Some(Some(text.into())),
            ..asked().fields
        },
        ..asked()
    };
    let evaluated = |status| {
        let change = IncidentChange {
            status,
            ..evaluation(Evaluation::Good, "Held")
        };
        full().changed(change, 100)
    };
    let refused = |result: Result<IncidentRow, DomainError>| {
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
    assert_eq!(
        resolved.evaluation_status,
        Some(Variant::from_enum(Evaluation::Good))
    );

    // Reopened, it keeps its evaluation; sending it back unchanged is no writing, another one is.
    let in_progress = |change| IncidentChange {
        status: Some(IncidentStatus::InProgress),
        ..change
    };
    let echo = in_progress(evaluation(Evaluation::Good, "Held"));
    let reopened = resolved.changed(echo, 101).expect("an incident");
    assert_eq!(
        (reopened.evaluation_status, reopened.resolved_date),
        (Some(Variant::from_enum(Evaluation::Good)), None)
    );
    let other = in_progress(evaluation(Evaluation::Bad, "Held"));
    assert!(refused(reopened.clone().changed(other, 102)));
    let other = in_progress(evaluation(Evaluation::Good, "Broke"));
    assert!(refused(reopened.clone().changed(other, 102)));
    // Taking it back is none either.
    let nulls = IncidentChange {
        evaluation_status: Some(None),
        fields: IncidentFields {
            evaluation_text: Some(None),
            ..asked().fields
        },
        ..asked()
    };
    let bare = reopened.changed(nulls, 103).expect("an incident");
    assert_eq!((bare.evaluation_status, bare.evaluation_text), (None, None));
    let created = IncidentChange {
        evaluation_status: Some(Some(Evaluation::Good)),
        ..asked()
    };
    assert!(refused(IncidentRow::created(created, None, 99)));
}

/// An anonymous incident with everything that may tell its reporter.
fn reported_from_a_place() -> IncidentRow {
    IncidentRow {
        reported_by: Some("A. Guest".into()),
        latitude: Some(59.66875),
        longitude: Some(9.64625),
        accuracy_in_meters: Some(12.5),
        last_modified_by_user_id: Some("u-7".into()),
        ..full()
    }
}

#[test]
fn the_reporter_is_forgotten_when_the_incident_stops_being_anonymous() {
    let anonymous = reported_from_a_place();
    let after = |is_anonymous| {
        let change = IncidentChange {
            fields: IncidentFields {
                is_anonymous,
                ..IncidentFields::default()
            },
            ..IncidentChange::default()
        };
        let after = anonymous.clone().changed(change, 100);
        let after = after.expect("an incident");
        [
            after.reported_by_user_id.is_some(),
            after.reported_by.is_some(),
            after.latitude.is_some(),
            after.longitude.is_some(),
            after.accuracy_in_meters.is_some(),
            after.last_modified_by_user_id.is_some(),
        ]
    };
    assert_eq!(after(None), [true; 6]);
    assert_eq!(after(Some(true)), [true; 6]);
    assert_eq!(after(Some(false)), [false; 6]);
}

/// What the audit log leaves out is what is forgotten, and the other way round.
#[test]
fn the_audit_log_leaves_out_what_is_forgotten_with_the_reporter() {
    let incident = reported_from_a_place();
    let mut forgotten = incident.clone();
    forgotten.forget_reporter();
    let columns = IncidentRow::TABLE.columns.iter();
    for (column, (before, after)) in columns.zip(incident.cells().iter().zip(forgotten.cells())) {
        let expected = match IncidentRow::REPORTER.contains(&column.name) {
            true => &Value::Null,
            false => before,
        };
        assert_eq!(after, *expected, "{}", column.name);
    }
    let known = incident.cells();
    let known = known.iter().zip(IncidentRow::TABLE.columns);
    let known = known.filter(|(cell, column)| {
        **cell != Value::Null && IncidentRow::REPORTER.contains(&column.name)
    });
    assert_eq!(
        known.count(),
        IncidentRow::REPORTER.len(),
        "each of them had a value"
    );
}
