//! PUT /v1/Incidents/{id}/status, …/severity, …/responsible, …/categories and …/customfields/{customFieldId}

use reqwest::Method;
use serde_json::{Value, json};

use crate::incidents_plant::{
    NOW, accepted, everything, least, least_update, plant, refused, with,
};
use crate::support::{Answer, Service};

const PATH: &str = "/v1/Incidents/100";
const STATUSES: [&str; 4] = ["New", "InProgress", "Resolved", "Rejected"];

/// What may follow a status: DECISIONS.md, section 3. Anything else is refused but the status itself, which
/// changes nothing.
const MAY_FOLLOW: [(&str, &[&str]); 4] = [
    ("New", &["InProgress", "Resolved", "Rejected"]),
    ("InProgress", &["New", "Resolved", "Rejected"]),
    ("Resolved", &["InProgress"]),
    ("Rejected", &["InProgress"]),
];

/// A new incident in a status; its id.
async fn in_status(service: &Service, status: &str) -> i64 {
    let body = with(least(), &json!({"status": status}));
    let made = accepted(service, "POST", "/v1/Incidents", &body).await;
    made["id"].as_i64().expect("an id")
}

/// The table row of an incident without its id and stamp.
async fn row(service: &Service, id: i64) -> String {
    let rows = everything(service).await;
    let start = format!("incidents: Int({id}), ");
    let row = rows.lines().find_map(|line| line.strip_prefix(&start));
    let mut columns: Vec<&str> = row.expect("the incident").split(", ").collect();
    // last_modified and deleted_date; after them are the place and who changed it last.
    columns.drain(columns.len() - 6..columns.len() - 4);
    columns.join(", ")
}

/// The record of an answer without its id and stamp.
fn record(answer: &Answer) -> Value {
    let mut record = answer.json();
    let members = record.as_object_mut().expect("a record");
    members.remove("id").expect("an id");
    members.remove("lastModified").expect("a stamp");
    record
}

#[tokio::test]
async fn every_change_of_status_is_what_an_update_makes_of_it() {
    let service = plant().await;
    for (from, followers) in MAY_FOLLOW {
        for to in STATUSES {
            let (one, other) = (
                in_status(&service, from).await,
                in_status(&service, from).await,
            );
            service.clock.advance(60);
            let path = format!("/v1/Incidents/{one}/status");
            let by_status = service.put(&path, &json!({"status": to})).await;
            let body = with(
                least_update(),
                &json!({"status": to, "severity": "Medium", "title": "Housing cracked", "incidentDate": "2025-06-01"}),
            );
            let by_update = service.put(&format!("/v1/Incidents/{other}"), &body).await;
            assert_eq!(
                row(&service, one).await,
                row(&service, other).await,
                "{from} to {to}"
            );
            if to == from || followers.contains(&to) {
                assert_eq!(
                    by_status.status,
                    200,
                    "{from} to {to}: {}",
                    by_status.text()
                );
                assert_eq!(by_status.json()["status"], to);
                assert_eq!(record(&by_status), record(&by_update), "{from} to {to}");
            } else {
                let problems = [by_status, by_update]
                    .map(|answer| answer.is_problem(409, "incident.transition")["detail"].take());
                assert_eq!(problems[0], problems[1], "{from} to {to}");
                let detail = problems[0].as_str().expect("a detail");
                for word in followers.iter().chain([&from, &to]) {
                    assert!(detail.contains(word), "{detail}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_status_writes_and_empties_the_date_of_resolving() {
    let service = plant().await;
    let path = format!("{PATH}/status");
    let resolved = accepted(&service, "PUT", &path, &json!({"status": "Resolved"})).await;
    assert_eq!(
        (&resolved["resolvedDate"], &resolved["lastModified"]),
        (&json!(NOW), &json!(NOW))
    );
    service.clock.advance(60);
    // Still the date of the first.
    let again = accepted(&service, "PUT", &path, &json!({"status": "Resolved"})).await;
    assert_eq!(again["resolvedDate"], NOW);
    let reopened = accepted(&service, "PUT", &path, &json!({"status": "InProgress"})).await;
    assert_eq!(reopened["resolvedDate"], Value::Null);
    // Nothing else.
    assert_eq!(
        (
            &reopened["title"],
            &reopened["categories"][0]["id"],
            &reopened["dueDate"]
        ),
        (&json!("Crack"), &json!(31), &again["dueDate"])
    );
}

#[tokio::test]
async fn a_severity_is_set_and_an_absent_one_stays() {
    let service = plant().await;
    let path = format!("{PATH}/severity");
    let graver = accepted(&service, "PUT", &path, &json!({"severity": "High"})).await;
    assert_eq!(
        (&graver["severity"], &graver["status"]),
        (&json!("High"), &json!("New"))
    );
    let same = accepted(&service, "PUT", &path, &json!({})).await;
    assert_eq!(same["severity"], "High");
}

#[tokio::test]
async fn a_member_of_the_group_is_made_responsible() {
    let service = plant().await;
    let path = format!("{PATH}/responsible");
    let body = json!({"followUpGroupId": 4, "responsibleUserId": "u-104"});
    let incident = accepted(&service, "PUT", &path, &body).await;
    assert_eq!(
        (
            &incident["followUpGroup"],
            &incident["responsible"],
            &incident["responsibleDisplayName"]
        ),
        (
            &json!("Assembly team"),
            &json!("ingrid.solheim"),
            &json!("Ingrid Solheim")
        )
    );
    for (body, code, field) in [
        (
            json!({"followUpGroupId": 5, "responsibleUserId": "u-104"}),
            "responsible.not_member",
            "responsibleUserId",
        ),
        (
            json!({"followUpGroupId": 99, "responsibleUserId": "u-104"}),
            "reference.unknown",
            "followUpGroupId",
        ),
        (
            json!({"followUpGroupId": 4, "responsibleUserId": "u-999"}),
            "reference.unknown",
            "responsibleUserId",
        ),
    ] {
        let problem = refused(&service, "PUT", &path, &body, 422, code).await;
        assert!(problem["errors"][field].is_array(), "{problem:#}");
    }
}

#[tokio::test]
async fn categories_are_replaced_as_a_whole() {
    let service = plant().await;
    let path = format!("{PATH}/categories");
    let body = json!([{"id": 33, "title": "ignored"}, {"id": 32}]);
    let incident = accepted(&service, "PUT", &path, &body).await;
    // In their order in the type.
    let two = json!([{"id": 32, "title": "Supplier"}, {"id": 33, "title": "Severity"}]);
    assert_eq!(incident["categories"], two);
    assert_eq!(
        (&incident["lastModified"], &incident["causes"][0]["id"]),
        (&json!(NOW), &json!(41))
    );
    for (body, code, field) in [
        (
            json!([{"id": 31}, {"id": 60}]),
            "reference.other_type",
            "[1].id",
        ),
        (json!([{"id": 99}]), "reference.unknown", "[0].id"),
        (
            json!([{"id": 31}, {"id": 31}]),
            "reference.duplicate",
            "[1].id",
        ),
    ] {
        let problem = refused(&service, "PUT", &path, &body, 422, code).await;
        assert!(problem["errors"][field].is_array(), "{problem:#}");
    }
}

#[tokio::test]
async fn one_custom_field_is_set_and_the_others_stay() {
    let service = plant().await;
    let path = |field: i32| format!("{PATH}/customfields/{field}");
    accepted(&service, "PUT", &path(61), &json!({"value": "M-1"})).await;
    service.clock.advance(60);
    accepted(&service, "PUT", &path(62), &json!({"value": "Press 2"})).await;
    service.clock.advance(60);
    let incident = accepted(&service, "PUT", &path(61), &json!({"value": "M-2"})).await;
    let fields = json!([
        {"id": 61, "value": "M-2", "dataListValue": null, "dataListId": null, "dataListName": null, "registrationDate": "2025-06-02T08:02:00Z",
            "label": "Order number", "type": "text"},
        {"id": 62, "value": "Press 2", "dataListValue": "Press 2", "dataListId": 9, "dataListName": "Machines",
            "registrationDate": "2025-06-02T08:01:00Z", "label": "Machine", "type": "list"},
    ]);
    assert_eq!(incident["customFields"], fields);
    assert_eq!(incident["lastModified"], "2025-06-02T08:02:00Z");
}

#[tokio::test]
async fn a_custom_field_must_be_the_types_and_its_value_of_its_kind() {
    let service = plant().await;
    let path = |field: i32| format!("{PATH}/customfields/{field}");
    for (field, code) in [(99, "reference.unknown"), (63, "reference.other_type")] {
        let body = json!({"value": "7"});
        let problem = refused(&service, "PUT", &path(field), &body, 422, code).await;
        assert!(problem["errors"]["customFieldId"].is_array(), "{problem:#}");
    }
    // A near miss, whose height is a number.
    let near_miss = json!({"incidentTypeId": 6, "severity": "Low", "title": "Fell", "incidentDate": "2025-06-01", "categories": [{"id": 60}]});
    let made = accepted(&service, "POST", "/v1/Incidents", &near_miss).await;
    let height = format!("/v1/Incidents/{}/customfields/63", made["id"]);
    let body = json!({"value": "high"});
    let problem = refused(&service, "PUT", &height, &body, 422, "custom_field.value").await;
    assert_eq!(
        problem["errors"]["value"],
        json!(["expected a number such as 12.5, found `high`"])
    );
    let set = accepted(&service, "PUT", &height, &json!({"value": "2.5"})).await;
    assert_eq!(set["customFields"][0]["value"], "2.5");

    // The same where the incident is reported with it.
    let of = |value: Value| {
        with(
            near_miss.clone(),
            &json!({"customFields": [{"id": 63, "value": value}]}),
        )
    };
    let body = of(json!("high"));
    let problem = refused(
        &service,
        "POST",
        "/v1/Incidents",
        &body,
        422,
        "custom_field.value",
    )
    .await;
    assert!(
        problem["errors"]["customFields[0].value"].is_array(),
        "{problem:#}"
    );
    for value in [json!("3"), json!(""), Value::Null] {
        accepted(&service, "POST", "/v1/Incidents", &of(value)).await;
    }
}

#[tokio::test]
async fn each_wrong_body_is_refused_and_its_field_named() {
    let service = plant().await;
    for (part, body, field) in [
        ("status", json!({}), "status"),
        ("status", json!({"status": null}), "status"),
        ("status", json!({"status": "Done"}), "status"),
        ("status", json!({"status": 7}), "status"),
        ("severity", json!({"severity": null}), "severity"),
        ("severity", json!({"severity": "Severe"}), "severity"),
        (
            "responsible",
            json!({"followUpGroupId": 4}),
            "responsibleUserId",
        ),
        (
            "responsible",
            json!({"responsibleUserId": "u-104"}),
            "followUpGroupId",
        ),
        (
            "responsible",
            json!({"followUpGroupId": null, "responsibleUserId": "u-104"}),
            "followUpGroupId",
        ),
        (
            "responsible",
            json!({"followUpGroupId": 4, "responsibleUserId": ""}),
            "responsibleUserId",
        ),
        (
            "responsible",
            json!({"followUpGroupId": 4, "responsibleUserId": null}),
            "responsibleUserId",
        ),
        ("categories", json!([]), "categories"),
        ("categories", json!([{}]), "[0]"),
        ("categories", json!([{"id": "31"}]), "[0].id"),
        ("customfields/61", json!({}), "value"),
        ("customfields/61", json!({"value": null}), "value"),
        ("customfields/61", json!({"value": ""}), "value"),
        ("customfields/61", json!({"value": 7}), "value"),
    ] {
        let path = format!("{PATH}/{part}");
        let problem = refused(&service, "PUT", &path, &body, 400, "body.invalid").await;
        let errors = problem["errors"].as_object().expect("errors");
        assert!(
            errors.iter().any(|(name, texts)| name.contains(field)
                || texts[0].as_str().is_some_and(|text| text.contains(field))),
            "{part} {body}: {problem:#}"
        );
    }
}

/// Each of the five, with a body that suits it.
fn suitable() -> [(&'static str, Value); 5] {
    [
        ("status", json!({"status": "InProgress"})),
        ("severity", json!({"severity": "High"})),
        (
            "responsible",
            json!({"followUpGroupId": 4, "responsibleUserId": "u-104"}),
        ),
        ("categories", json!([{"id": 32}])),
        ("customfields/61", json!({"value": "M-1"})),
    ]
}

#[tokio::test]
async fn what_is_not_there_is_not_changed() {
    let service = plant().await;
    for (part, body) in suitable() {
        // Unknown, and in the trash.
        for id in [999, 102] {
            let path = format!("/v1/Incidents/{id}/{part}");
            refused(&service, "PUT", &path, &body, 404, "not_found").await;
        }
        let path = format!("/v1/Incidents/x/{part}");
        refused(&service, "PUT", &path, &body, 400, "path.invalid").await;
    }
    let path = format!("{PATH}/customfields/x");
    let body = json!({"value": "M-1"});
    let problem = refused(&service, "PUT", &path, &body, 400, "path.invalid").await;
    assert!(problem["errors"]["customFieldId"].is_array(), "{problem:#}");
}

#[tokio::test]
async fn the_reporter_of_an_anonymous_incident_stays_hidden() {
    let service = plant().await;
    for (part, body) in suitable() {
        let incident = accepted(&service, "PUT", &format!("/v1/Incidents/101/{part}"), &body).await;
        assert_eq!(
            (&incident["reportedBy"], &incident["reportedByUserId"]),
            (&Value::Null, &Value::Null),
            "{part}"
        );
    }
}

#[tokio::test]
async fn a_body_with_more_in_it_is_taken_unless_the_request_is_strict() {
    let service = plant().await;
    for (part, body) in suitable() {
        let more = match body {
            Value::Array(items) => json!([with(items[0].clone(), &json!({"nosuch": 1}))]),
            object => with(object, &json!({"nosuch": 1})),
        };
        let path = format!("{PATH}/{part}");
        let request = service.request(Method::PUT, &path).json(&more);
        let strict = request.header("prefer", "handling=strict");
        Answer::of(strict)
            .await
            .is_problem(400, "body.unknown_property");
        accepted(&service, "PUT", &path, &more).await;
    }
}
