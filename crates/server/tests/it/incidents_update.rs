//! PUT /v1/Incidents/{id}

use serde_json::{Value, json};

use crate::incidents_plant::{NOW, accepted, least_update, plant, refused, with};
use crate::support::Answer;
use crate::support::sql::with_words;

const PATH: &str = "/v1/Incidents/100";

#[tokio::test]
async fn the_least_body_leaves_everything_else() {
    let service = plant().await;
    let body = with(least_update(), &json!({"severity": "Medium"}));
    let incident = accepted(&service, "PUT", PATH, &body).await;
    let expected = json!({
        "id": 100, "project": null, "incidentType": "Quality deviation", "reportedByGroup": null, "reportedByUserId": "u-117",
        "reportedBy": "Tomas Berg", "reportedDate": "1970-01-01T00:00:00.000001Z", "followUpGroup": null, "responsible": null,
        "responsibleDisplayName": null, "lastModified": NOW, "numberOfComments": 2, "numberOfActions": 0, "numberOfAttachments": 0,
        "consequences": [{"id": 51, "title": "Scrapped parts", "unit": "pcs", "amount": 14.0}],
        "categories": [{"id": 31, "title": "Own process"}], "causes": [{"id": 41, "title": "Worn fixture"}], "customFields": [],
        "status": "New", "incidentTypeId": 3, "severity": "Medium", "reportedByGroupId": null, "followUpGroupId": null, "responsibleUserId": null,
        "title": "Crack", "text": null, "incidentDate": "2024-10-04", "resolvedDate": null, "dueDate": "1970-01-01T00:00:00.000007Z",
        "evaluationStatus": null, "evaluationText": null, "isAnonymous": false, "areaId": null, "projectId": null, "externalId": "c7",
    });
    assert_eq!(incident, expected);
}

#[tokio::test]
async fn values_are_set_and_null_empties() {
    let service = plant().await;
    let body = with(
        least_update(),
        &json!({
            "title": "Bigger crack", "severity": "High", "incidentDate": "2024-10-05", "text": "Both flanges", "reportedByGroupId": 5,
            "followUpGroupId": 4, "responsibleUserId": "u-104", "areaId": 2, "projectId": 8, "isAnonymous": true, "externalId": null, "dueDate": null,
        }),
    );
    let incident = accepted(&service, "PUT", PATH, &body).await;
    let fields = [
        "title",
        "severity",
        "incidentDate",
        "text",
        "reportedByGroup",
        "followUpGroup",
        "responsible",
        "areaId",
        "project",
        "isAnonymous",
    ];
    let values = [
        "Bigger crack",
        "High",
        "2024-10-05",
        "Both flanges",
        "Night shift",
        "Assembly team",
        "ingrid.solheim",
    ];
    for (field, value) in fields.iter().zip(values) {
        assert_eq!(incident[field], value, "{field}");
    }
    assert_eq!(
        (
            &incident["areaId"],
            &incident["project"],
            &incident["isAnonymous"]
        ),
        (&json!(2), &json!("New line"), &json!(true))
    );
    assert_eq!(
        (
            &incident["externalId"],
            &incident["dueDate"],
            &incident["reportedBy"]
        ),
        (&Value::Null, &Value::Null, &Value::Null)
    );
}

#[tokio::test]
async fn a_life_from_new_to_resolved_and_back() {
    let service = plant().await;
    let to = |status: &str| with(least_update(), &json!({"status": status}));
    assert_eq!(
        accepted(&service, "PUT", PATH, &to("InProgress")).await["resolvedDate"],
        Value::Null
    );

    service.clock.advance(3600);
    let resolved = accepted(&service, "PUT", PATH, &to("Resolved")).await;
    assert_eq!(
        (&resolved["status"], &resolved["resolvedDate"]),
        (&json!("Resolved"), &json!("2025-06-02T09:00:00Z"))
    );

    let problem = refused(
        &service,
        "PUT",
        PATH,
        &to("Rejected"),
        409,
        "incident.transition",
    )
    .await;
    assert_eq!(
        problem["detail"],
        "An incident that is Resolved cannot become Rejected. From Resolved it may become InProgress."
    );

    let evaluated = with(
        to("Resolved"),
        &json!({"evaluationStatus": "Medium", "evaluationText": "So far", "resolvedDate": "2025-06-01T12:00:00Z"}),
    );
    let evaluated = accepted(&service, "PUT", PATH, &evaluated).await;
    assert_eq!(
        (&evaluated["evaluationStatus"], &evaluated["resolvedDate"]),
        (&json!("Medium"), &json!("2025-06-01T12:00:00Z"))
    );

    let reopened = accepted(&service, "PUT", PATH, &to("InProgress")).await;
    assert_eq!(
        (&reopened["resolvedDate"], &reopened["evaluationStatus"]),
        (&Value::Null, &json!("Medium"))
    );

    let evaluated = with(to("InProgress"), &json!({"evaluationStatus": "Bad"}));
    refused(
        &service,
        "PUT",
        PATH,
        &evaluated,
        409,
        "incident.evaluation",
    )
    .await;
}

#[tokio::test]
async fn a_record_sent_back_as_it_was_read_changes_nothing() {
    let service = plant().await;
    let body = with(least_update(), &json!({"severity": "Medium"}));
    let before = accepted(&service, "PUT", PATH, &body).await;
    service.clock.advance(60);
    let after = accepted(&service, "PUT", PATH, &before).await;
    assert_eq!(after["lastModified"], NOW);
    assert_eq!(after, before);
}

#[tokio::test]
async fn every_change_has_a_later_stamp_though_the_clock_stands() {
    let service = plant().await;
    let mut stamps = Vec::new();
    for title in ["a", "b", "c"] {
        let body = with(least_update(), &json!({"title": title}));
        stamps.push(
            accepted(&service, "PUT", PATH, &body).await["lastModified"]
                .as_str()
                .map(str::to_owned)
                .expect("a stamp"),
        );
    }
    assert_eq!(
        stamps,
        [
            NOW,
            "2025-06-02T08:00:00.0000001Z",
            "2025-06-02T08:00:00.0000002Z"
        ]
    );
}

#[tokio::test]
async fn what_does_not_exist_or_fit_is_refused() {
    let service = plant().await;
    let unknown = [
        (json!({"incidentTypeId": 99}), "incidentTypeId"),
        (json!({"reportedByGroupId": 99}), "reportedByGroupId"),
        (json!({"followUpGroupId": 99}), "followUpGroupId"),
        (json!({"areaId": 99}), "areaId"),
        (json!({"projectId": 99}), "projectId"),
        (
            json!({"followUpGroupId": 4, "responsibleUserId": "u-x"}),
            "responsibleUserId",
        ),
    ];
    for (fault, field) in unknown {
        let problem = refused(
            &service,
            "PUT",
            PATH,
            &with(least_update(), &fault),
            422,
            "reference.unknown",
        )
        .await;
        assert!(problem["errors"][field].is_array(), "{problem:#}");
    }
    let outside = with(
        least_update(),
        &json!({"followUpGroupId": 4, "responsibleUserId": "u-117"}),
    );
    refused(
        &service,
        "PUT",
        PATH,
        &outside,
        422,
        "responsible.not_member",
    )
    .await;
    for (fault, field) in [
        (json!({"title": ""}), "title"),
        (json!({"status": "Closed"}), "status"),
        (json!({"severity": "Huge"}), "severity"),
        (json!({"status": null}), "status"),
        (json!({"isAnonymous": null}), "isAnonymous"),
        (json!({"isAnonymous": 1}), "isAnonymous"),
    ] {
        let problem = refused(
            &service,
            "PUT",
            PATH,
            &with(least_update(), &fault),
            400,
            "body.invalid",
        )
        .await;
        assert!(problem["errors"][field].is_array(), "{problem:#}");
    }
    for required in ["incidentTypeId", "severity", "title", "incidentDate"] {
        let mut body = least_update();
        body.as_object_mut().expect("an object").remove(required);
        refused(&service, "PUT", PATH, &body, 400, "body.invalid").await;
    }
}

/// DECISIONS.md, section 4: 409 before 422.
#[tokio::test]
async fn what_may_not_follow_is_reported_before_what_does_not_exist() {
    let service = plant().await;
    let resolved = with(least_update(), &json!({"status": "Resolved"}));
    accepted(&service, "PUT", PATH, &resolved).await;
    for (status, refusal, code) in [
        ("Rejected", 409, "incident.transition"),
        ("InProgress", 422, "reference.unknown"),
    ] {
        let body = with(least_update(), &json!({"status": status, "areaId": 99}));
        refused(&service, "PUT", PATH, &body, refusal, code).await;
    }
}

#[tokio::test]
async fn the_rule_on_the_responsible_user_holds_for_what_the_write_names() {
    let service = plant().await;
    let set = with(
        least_update(),
        &json!({"followUpGroupId": 4, "responsibleUserId": "u-104"}),
    );
    accepted(&service, "PUT", PATH, &set).await;
    // The user would be left behind in another group, or in none.
    for group in [json!(5), json!(null)] {
        refused(
            &service,
            "PUT",
            PATH,
            &with(least_update(), &json!({"followUpGroupId": group})),
            422,
            "responsible.not_member",
        )
        .await;
    }
    // The user leaves the group: that does not block a write that names neither.
    let left = service
        .store()
        .write(|session| session.execute("DELETE FROM group_members WHERE user_id = 'u-104'", &[]));
    left.await.expect("a member less");
    accepted(&service, "PUT", PATH, &least_update()).await;
    refused(
        &service,
        "PUT",
        PATH,
        &with(least_update(), &json!({"responsibleUserId": "u-104"})),
        422,
        "responsible.not_member",
    )
    .await;
}

#[tokio::test]
async fn another_type_takes_away_the_parts_of_the_old_one() {
    let service = plant().await;
    let same = accepted(&service, "PUT", PATH, &least_update()).await;
    assert_eq!(same["categories"][0]["id"], 31);
    let other = with(least_update(), &json!({"incidentTypeId": 6}));
    let changed = accepted(&service, "PUT", PATH, &other).await;
    assert_eq!(
        (&changed["incidentTypeId"], &changed["incidentType"]),
        (&json!(6), &json!("Near miss"))
    );
    for parts in ["categories", "consequences", "causes", "customFields"] {
        assert_eq!(changed[parts], json!([]), "{parts}");
    }
    let nowhere = with(least_update(), &json!({"incidentTypeId": 999}));
    refused(&service, "PUT", PATH, &nowhere, 422, "reference.unknown").await;
}

#[tokio::test]
async fn an_incident_in_the_trash_or_nowhere_is_not_found() {
    let service = plant().await;
    // That it is gone is reported before anything about its state.
    let evaluated = with(least_update(), &json!({"evaluationStatus": "Good"}));
    refused(
        &service,
        "PUT",
        "/v1/Incidents/102",
        &evaluated,
        404,
        "not_found",
    )
    .await;
    for id in ["102", "99999", "-1", "0"] {
        refused(
            &service,
            "PUT",
            &format!("/v1/Incidents/{id}"),
            &least_update(),
            404,
            "not_found",
        )
        .await;
        for part in ["consequences", "causes"] {
            refused(
                &service,
                "PUT",
                &format!("/v1/Incidents/{id}/{part}"),
                &json!([]),
                404,
                "not_found",
            )
            .await;
        }
        refused(
            &service,
            "PUT",
            &format!("/v1/Incidents/{id}/externalId"),
            &json!("x"),
            404,
            "not_found",
        )
        .await;
    }
    refused(
        &service,
        "PUT",
        "/v1/Incidents/2147483648",
        &least_update(),
        400,
        "path.invalid",
    )
    .await;
}

#[tokio::test]
async fn who_reported_is_forgotten_when_an_incident_stops_being_anonymous() {
    let service = plant().await;
    let shown = with(least_update(), &json!({"isAnonymous": false}));
    let incident = accepted(&service, "PUT", "/v1/Incidents/101", &shown).await;
    assert_eq!(
        (&incident["reportedBy"], &incident["reportedByUserId"]),
        (&Value::Null, &Value::Null)
    );
}

#[tokio::test]
async fn a_new_text_replaces_the_words_it_is_found_by() {
    let service = plant().await;
    accepted(
        &service,
        "PUT",
        PATH,
        &with(least_update(), &json!({"title": "Leak", "text": "Oil"})),
    )
    .await;
    let found = async |words| with_words(service.store(), "incidents_search", words).await;
    assert!(found(&["crack"]).await.is_empty());
    assert_eq!(found(&["leak", "oil"]).await, [100]);
}

#[tokio::test]
async fn updates_at_the_same_time_are_all_kept_one_after_the_other() {
    let service = plant().await;
    let bodies = [
        json!({"areaId": 2}),
        json!({"projectId": 8}),
        json!({"followUpGroupId": 4}),
        json!({"reportedByGroupId": 5}),
        json!({"text": "x"}),
    ];
    let bodies = bodies.map(|more| with(least_update(), &more));
    let [a, b, c, d, e] = &bodies;
    let answers = tokio::join!(
        accepted(&service, "PUT", PATH, a),
        accepted(&service, "PUT", PATH, b),
        accepted(&service, "PUT", PATH, c),
        accepted(&service, "PUT", PATH, d),
        accepted(&service, "PUT", PATH, e),
    );
    let mut stamps = [answers.0, answers.1, answers.2, answers.3, answers.4]
        .map(|answer| answer["lastModified"].to_string());
    stamps.sort();
    assert!(
        stamps.windows(2).all(|pair| pair[0] != pair[1]),
        "{stamps:?}"
    );
    let last = accepted(&service, "PUT", PATH, &least_update()).await;
    assert_eq!(
        (
            &last["areaId"],
            &last["projectId"],
            &last["followUpGroupId"],
            &last["reportedByGroupId"],
            &last["text"]
        ),
        (&json!(2), &json!(8), &json!(4), &json!(5), &json!("x"))
    );
}

#[tokio::test]
async fn an_unknown_property_is_ignored_unless_the_caller_is_strict() {
    let service = plant().await;
    let body = with(
        least_update(),
        &json!({"colour": "blue", "status": "InProgress"}),
    );
    let request = service.request(reqwest::Method::PUT, PATH).json(&body);
    let strict = Answer::of(request.header("prefer", "handling=strict")).await;
    let problem = strict.is_problem(400, "body.unknown_property");
    assert!(problem["errors"]["colour"].is_array(), "{problem:#}");
    assert_eq!(
        accepted(&service, "PUT", PATH, &body).await["status"],
        "InProgress"
    );
}
