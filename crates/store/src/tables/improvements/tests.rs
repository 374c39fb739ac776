//! What a body does to an improvement.

use super::*;

fn instant(ticks: i64) -> Option<Timestamp> {
    Timestamp::from_ticks(ticks)
}

fn improvement() -> ImprovementRow {
    ImprovementRow {
        suggestion_date: instant(10),
        title: Some("Second clamp".into()),
        due_date: instant(70),
        external_id: Some("i-1".into()),
        group_id: Some(4),
        responsible_user_id: Some("u-1".into()),
        cost_of_investment: Some(1.0),
        gain_of_investment: Some(2.0),
        cost_of_investment_hours: Some(3.0),
        gain_of_investment_hours: Some(4.0),
        estimated_cost_of_investment: Some(5.0),
        estimated_gain_of_investment: Some(6.0),
        estimated_cost_of_investment_hours: Some(7.0),
        estimated_gain_of_investment_hours: Some(8.0),
        ..ImprovementRow::default()
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
            fields: ImprovementFields {
                title: Some(Some("Light".into())),
                ..ImprovementFields::default()
            },
            ..ImprovementChange::default()
        };
        ImprovementRow::created(change, 99).map(|created| created.state())
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
    let change = ImprovementChange {
        evaluation_status: Some(Some(Evaluation::Bad)),
        fields: ImprovementFields {
            due_date: Some(None),
            text: Some(Some("At station 4".into())),
            group_id: Some(None),
            gain_of_investment: Some(None),
            gain_of_investment_hours: Some(Some(120.5)),
            ..ImprovementFields::default()
        },
        ..ImprovementChange::default()
    };
    let after = improvement().changed(change, 99).expect("an improvement");
    let expected = ImprovementRow {
        due_date: None,
        text: Some("At station 4".into()),
        group_id: None,
        gain_of_investment: None,
        gain_of_investment_hours: Some(120.5),
        evaluation_status: Some(Variant::from_enum(Evaluation::Bad)),
        ..improvement()
    };
    assert_eq!(after, expected);
}

#[test]
fn the_name_of_who_suggested_it_goes_with_another_user_and_stays_with_the_same() {
    let named = ImprovementRow {
        suggested_by_user_id: Some("u-1".into()),
        suggested_by: Some("A. Guest".into()),
        ..improvement()
    };
    let suggested_by = |user: Option<&str>| {
        let fields = ImprovementFields {
            suggested_by_user_id: Some(user.map(str::to_owned)),
            ..ImprovementFields::default()
        };
        let change = ImprovementChange {
            fields,
            ..ImprovementChange::default()
        };
        let after = named.clone().changed(change, 99).expect("an improvement");
        after.suggested_by
    };
    assert_eq!(suggested_by(Some("u-1")).as_deref(), Some("A. Guest"));
    assert_eq!(suggested_by(Some("u-2")), None);
    assert_eq!(suggested_by(None), None);
}
