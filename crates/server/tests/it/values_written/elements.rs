//! The requirements of a datasource's elements, over HTTP. The tests of the rules cover each type.

use serde_json::{Value, json};

use super::{everything, plant, value, with};
use crate::support::Service;

async fn outcome(service: &Service, datasource: i32, more: Value) -> String {
    let body = with(value(1, "2025-06-01T10:00:00Z"), more);
    let path = format!("/v1/Datasources/{datasource}/values");
    let answer = service.post(&path, &body).await;
    if answer.status == 200 {
        return "taken".to_owned();
    }
    let body = answer.json();
    let errors = body["errors"].as_object().expect("fields").iter();
    let errors: Vec<_> = errors
        .map(|(field, texts)| format!("{field}: {}", texts[0].as_str().expect("a text")))
        .collect();
    let code = body["code"].as_str().expect("a code");
    format!("{} {code} {}", answer.status, errors.join("; "))
}

#[tokio::test]
async fn what_is_mandatory_must_be_there() {
    let service = plant().await;
    let before = everything(&service).await;
    let missing =
        "422 element.missing dimension: expected a value for the element `Shift`, found none";
    for nothing in [
        json!({}),
        json!({"dimension": null}),
        json!({"dimension": ""}),
    ] {
        assert_eq!(outcome(&service, 2, nothing).await, missing);
    }
    assert_eq!(everything(&service).await, before);
    assert_eq!(
        outcome(&service, 2, json!({"dimension": "x"})).await,
        "taken"
    );
    // An update has the same requirements.
    let path = "/v1/Datasources/2/values/1";
    let put = service.put(path, &value(1, "2025-06-01T10:00:00Z")).await;
    put.is_problem(422, "element.missing");
    // Each value of a batch too, also in a replacement.
    let before = everything(&service).await;
    let values = "/v1/Datasources/2/values";
    let period = "from=2025-06-01T00:00:00Z&to=2025-06-02T00:00:00Z";
    let batch = json!([
        with(value(1, "2025-06-01T10:00:00Z"), json!({"dimension": "x"})),
        value(2, "2025-06-01T11:00:00Z"),
    ]);
    for answer in [
        service.post(&format!("{values}/batch"), &batch).await,
        service
            .put(&format!("{values}/batchReplace?{period}"), &batch)
            .await,
    ] {
        let problem = answer.is_problem(422, "element.missing");
        assert!(problem["errors"]["[1].dimension"].is_array(), "{problem:#}");
    }
    assert_eq!(everything(&service).await, before);
    // Nothing is changed before the checks: no other write of the same commit runs again.
    let repeated = service.figure("obeya_store_repeated_commits_total").await;
    assert_eq!(repeated, 0);
}

#[tokio::test]
async fn what_is_there_must_be_of_its_type() {
    let service = plant().await;
    for (datasource, more, expected) in [
        (
            2,
            json!({"dimension": "x", "dimension2": "-1.5e3", "areaId": 2}),
            "taken",
        ),
        (
            2,
            json!({"dimension": "x", "dimension2": "1,5"}),
            "422 element.type dimension2: expected a number for the element `Count`, found `1,5`",
        ),
        (
            2,
            json!({"dimension": "x", "areaId": 99}),
            "422 reference.unknown areaId: there is no area 99",
        ),
        (
            2,
            json!({"dimension2": "x", "areaId": 99}),
            "422 element.missing areaId: there is no area 99; dimension: expected a value for the element `Shift`, found none; \
             dimension2: expected a number for the element `Count`, found `x`",
        ),
        // The content of these is not defined.
        (
            1,
            json!({"dimension": "x", "areaId": 99, "projectId": 99}),
            "taken",
        ),
        (
            3,
            json!({"dimension": "3", "dimension2": "false", "dimension3": "7", "dimension4": "u-104", "projectId": 8, "externalId": "any"}),
            "taken",
        ),
        (
            3,
            json!({"dimension": "hall", "dimension2": "no"}),
            "422 element.type dimension: expected the id of an area for the element `a`, found `hall`; \
             dimension2: expected true or false for the element `b`, found `no`",
        ),
        (
            3,
            json!({"dimension": "4", "dimension3": "8", "dimension4": "u-105", "projectId": 9}),
            "422 reference.unknown dimension: there is no area 4; dimension3: there is no board 8; \
             dimension4: there is no user `u-105`; projectId: there is no project 9",
        ),
    ] {
        assert_eq!(outcome(&service, datasource, more).await, expected);
    }
}

/// Records of every kind are looked up once for all values that refer to them.
#[tokio::test]
async fn a_batch_may_name_many_records() {
    let service = plant().await;
    let areas = service.store().write(|session| {
        session.execute(
            "WITH RECURSIVE n (id) AS (SELECT CAST(100 AS bigint) UNION ALL SELECT id + 1 FROM n WHERE id < 2599)
             INSERT INTO areas (id, name) SELECT id, 'Area' FROM n",
            &[],
        )
    });
    areas.await.expect("areas");
    let of = |area: i32| {
        with(
            value(1, "2025-06-01T10:00:00Z"),
            json!({"dimension": area.to_string(), "dimension4": "u-104"}),
        )
    };
    let mut batch: Vec<_> = (100..2600).map(of).collect();
    let path = "/v1/Datasources/3/values/batch";
    let added = service.post(path, &json!(batch)).await;
    assert_eq!(added.text(), r#"{"total":2500}"#);
    batch.push(of(2600));
    let refused = service.post(path, &json!(batch)).await;
    let problem = refused.is_problem(422, "reference.unknown");
    assert_eq!(
        problem["errors"],
        json!({"[2500].dimension": ["there is no area 2600"]})
    );
}
