//! Writes that change nothing: they leave no stamp, and the record keeps its tag.

use serde_json::{Value, json};

use crate::incidents_plant::{everything, plant, with};
use crate::support::Service;
use crate::values_written;

/// A PUT with the current values leaves every table unchanged; the answer is the record as it was read
/// before.
async fn leaves_all(service: &Service, read: &str, path: &str, body: &Value) {
    let before = everything(service).await;
    let whole = service.get(read).await;
    service.clock.advance(60);
    let answer = service.put(path, body).await;
    assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text());
    assert_eq!(answer.text(), whole.text(), "{path} {body}");
    assert_eq!(answer.header("etag"), whole.header("etag"), "{path} {body}");
    assert_eq!(everything(service).await, before, "{path} {body}");
}

#[tokio::test]
async fn an_incident_that_is_written_back_keeps_its_stamp() {
    let service = plant().await;
    const INCIDENT: &str = "/v1/Incidents/100";
    // As a client would send it that fills in the open values of the plant.
    for (path, body) in [
        (
            "/responsible",
            json!({"followUpGroupId": 4, "responsibleUserId": "u-104"}),
        ),
        (
            "/consequences",
            json!([{"id": 51, "amount": 14.5}, {"id": 52}]),
        ),
        ("/categories", json!([{"id": 31}, {"id": 32}])),
        ("/customfields/61", json!({"value": "M-1"})),
        ("/customfields/62", json!({"value": "Press 2"})),
        ("/status", json!({"status": "Resolved"})),
    ] {
        let path = format!("{INCIDENT}{path}");
        let set = service.put(&path, &body).await;
        assert_eq!(set.status, 200, "{path}: {}", set.text());
    }
    let whole = service.get(INCIDENT).await.json();
    for (path, body) in [
        ("", whole.clone()),
        (
            "",
            json!({"incidentTypeId": 3, "severity": "Low", "title": "Crack", "incidentDate": "2024-10-04"}),
        ),
        ("/severity", json!({})),
        ("/severity", json!({"severity": "Low"})),
        ("/status", json!({"status": "Resolved"})),
        (
            "/responsible",
            json!({"followUpGroupId": 4, "responsibleUserId": "u-104"}),
        ),
        ("/externalId", json!("c7")),
        ("/customfields/61", json!({"value": "M-1"})),
        // In whatever order.
        ("/categories", json!([{"id": 32}, {"id": 31}])),
        (
            "/consequences",
            json!([{"id": 52}, {"id": 51, "amount": 14.5}]),
        ),
        ("/causes", json!([{"id": 41, "title": "As it was read"}])),
    ] {
        leaves_all(&service, INCIDENT, &format!("{INCIDENT}{path}"), &body).await;
    }
    // An incident without any.
    for path in ["causes", "consequences"] {
        let path = format!("/v1/Incidents/101/{path}");
        leaves_all(&service, "/v1/Incidents/101", &path, &json!([])).await;
    }
    let path = "/v1/Incidents/101/externalId";
    leaves_all(&service, "/v1/Incidents/101", path, &Value::Null).await;
}

/// Parts that differ in one value are not the same.
#[tokio::test]
async fn what_differs_in_one_place_is_stamped() {
    let service = plant().await;
    for (path, body) in [
        ("severity", json!({"severity": "High"})),
        ("externalId", Value::Null),
        ("consequences", json!([{"id": 51, "amount": 14.25}])),
        ("consequences", json!([{"id": 51}])),
        ("categories", json!([{"id": 31}, {"id": 32}])),
        ("causes", json!([])),
        ("customfields/61", json!({"value": "M-1"})),
        ("customfields/61", json!({"value": "M-2"})),
        ("customfields/62", json!({"value": "M-2"})),
    ] {
        let path = format!("/v1/Incidents/100/{path}");
        let before = service.get("/v1/Incidents/100").await;
        service.clock.advance(60);
        let changed = service.put(&path, &body).await;
        assert_eq!(changed.status, 200, "{path}: {}", changed.text());
        let stamp = |answer: &crate::support::Answer| {
            let stamp = answer.json()["lastModified"].clone();
            stamp.as_str().expect("a stamp").to_owned()
        };
        assert!(stamp(&changed) > stamp(&before), "{path} {body}");
        assert_ne!(changed.header("etag"), before.header("etag"), "{path}");
    }
}

#[tokio::test]
async fn an_improvement_that_is_written_back_keeps_its_stamp() {
    let service = plant().await;
    // Its last writer, a user, stays as well.
    const IMPROVEMENT: &str = "/v1/Improvements/317";
    let whole = service.get(IMPROVEMENT).await.json();
    assert_eq!(whole["lastModifiedByUserId"], "u-117");
    for body in [
        json!({}),
        whole.clone(),
        json!({"costOfInvestment": 4200, "status": "Planned"}),
    ] {
        leaves_all(&service, IMPROVEMENT, IMPROVEMENT, &body).await;
    }
    let changed = service
        .put(IMPROVEMENT, &json!({"costOfInvestment": 4201}))
        .await;
    assert_ne!(changed.json()["lastModified"], whole["lastModified"]);
}

#[tokio::test]
async fn a_value_that_is_written_back_is_not_registered_again() {
    const VALUES: &str = "/v1/Datasources/1/values";
    let service = values_written::plant().await;
    let body = json!({"value": -0.0, "valueDate": "2025-06-01T06:00:00Z", "dimension": "early", "areaId": 2});
    let made = service.post(VALUES, &body).await;
    let path = format!("{VALUES}/{}", made.json()["id"]);
    let before = values_written::everything(&service).await;
    let state = service.get(VALUES).await.header("obeya-state").to_owned();
    for body in [body.clone(), made.json(), with(body, &json!({"value": 0}))] {
        service.clock.advance(60);
        let again = service.put(&path, &body).await;
        assert_eq!(again.json(), made.json(), "{body}");
        assert_eq!(again.header("etag"), made.header("etag"));
        assert_eq!(values_written::everything(&service).await, before, "{body}");
    }
    assert_eq!(service.get(VALUES).await.header("obeya-state"), state);
    let other = with(made.json(), &json!({"dimension": "late"}));
    let changed = service.put(&path, &other).await;
    assert_ne!(
        changed.json()["registrationDate"],
        made.json()["registrationDate"]
    );
}
