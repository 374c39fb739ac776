//! Calls through the SDK that the plant must refuse, each for a reason of its own.

use obeya::model::{
    CategoryInput, CauseInput, ConsequenceInput, EvaluationStatus, ImprovementStatus,
    ImprovementUpdate, IncidentCreate, IncidentStatus, IncidentUpdate, Patch,
};
use obeya::{Client, Error};

use super::calls::{incident_body, update_body};

pub async fn parameters(all: &Client) {
    let values = all.datasources().values(12);
    is(values.clone().page(0).await, "query.invalid");
    is(values.page_size(10_001).page(1).await, "query.invalid");
    let incidents = all.incidents().list();
    is(incidents.page(0).await, "query.invalid");
    let improvements = all.improvements().list();
    is(improvements.page_size(10_001).await, "query.invalid");
    let in_no_language = all.incidents().type_detail(3).language("!");
    is(in_no_language.send().await, "query.invalid");
}

pub async fn incidents(all: &Client) {
    let incidents = all.incidents();
    // Of the incident type 6, not 3, or of none.
    let wrong = [
        (60, 43, 53, "reference.other_type"),
        (99, 99, 99, "reference.unknown"),
    ];
    for (category, cause, consequence, code) in wrong {
        let body = IncidentCreate {
            categories: vec![CategoryInput::new(category)],
            ..incident_body()
        };
        is(incidents.create(&body).await, code);
        is(
            incidents.set_causes(1204, &[CauseInput::new(cause)]).await,
            code,
        );
        let consequences = [ConsequenceInput::new(consequence)];
        is(incidents.set_consequences(1204, &consequences).await, code);
    }
    let twice = [CategoryInput::new(31), CategoryInput::new(31)];
    let body = IncidentCreate {
        categories: twice.to_vec(),
        ..incident_body()
    };
    is(incidents.create(&body).await, "reference.duplicate");
    let twice = [CauseInput::new(41), CauseInput::new(41)];
    is(
        incidents.set_causes(1204, &twice).await,
        "reference.duplicate",
    );
    let twice = [ConsequenceInput::new(51), ConsequenceInput::new(51)];
    is(
        incidents.set_consequences(1204, &twice).await,
        "reference.duplicate",
    );
    let body = IncidentCreate {
        evaluation_status: Some(EvaluationStatus::Good),
        ..incident_body()
    };
    is(incidents.create(&body).await, "incident.evaluation");
    // A user of group 5.
    let body = IncidentCreate {
        follow_up_group_id: Some(4),
        responsible_user_id: Some("u-117".to_owned()),
        ..incident_body()
    };
    is(incidents.create(&body).await, "responsible.not_member");

    type Change = fn(&mut IncidentUpdate);
    let of_update = |change: Change| {
        let mut body = update_body();
        change(&mut body);
        body
    };
    let cases: [(&str, i32, Change); 4] = [
        ("reference.unknown", 1204, |body| body.area_id = 99.into()),
        ("responsible.not_member", 1204, |body| {
            body.responsible_user_id = "u-117".to_owned().into();
        }),
        ("incident.evaluation", 1204, |body| {
            body.evaluation_status = EvaluationStatus::Good.into();
        }),
        // Rejected, then resolved.
        ("incident.transition", 1205, |body| {
            body.incident_type_id = 6;
            body.status = Some(IncidentStatus::Resolved);
        }),
    ];
    let rejected = of_update(|body| {
        body.incident_type_id = 6;
        body.status = Some(IncidentStatus::Rejected);
    });
    incidents.update(1205, &rejected).await.expect("rejected");
    for (code, id, change) in cases {
        is(incidents.update(id, &of_update(change)).await, code);
    }
}

pub async fn improvements(all: &Client) {
    let improvements = all.improvements();
    let open = ImprovementUpdate {
        status: Some(ImprovementStatus::Open),
        ..ImprovementUpdate::default()
    };
    is(
        improvements.update(318, &open).await,
        "improvement.transition",
    );
    let nowhere = ImprovementUpdate {
        group_id: Patch::Value(99),
        ..ImprovementUpdate::default()
    };
    is(
        improvements.update(317, &nowhere).await,
        "reference.unknown",
    );
}

#[track_caller]
fn is<T: std::fmt::Debug>(outcome: Result<T, Error>, code: &str) {
    let error = outcome.expect_err(code);
    assert_eq!(error.code(), Some(code), "{error}");
}
