//! PUT /v1/Incidents/{id}/consequences, …/causes and …/externalId

use reqwest::Method;
use serde_json::{Value, json};

use crate::incidents_plant::{NOW, accepted, everything, plant, refused};
use crate::support::Answer;

#[tokio::test]
async fn consequences_are_replaced_as_a_whole() {
    let service = plant().await;
    let path = "/v1/Incidents/100/consequences";
    let incident = accepted(
        &service,
        "PUT",
        path,
        &json!([{"id": 52, "amount": -0.5, "unit": "h"}]),
    )
    .await;
    assert_eq!(
        incident["consequences"],
        json!([{"id": 52, "title": "Downtime", "unit": "min", "amount": -0.5}])
    );
    assert_eq!(
        (&incident["lastModified"], &incident["causes"]),
        (&json!(NOW), &json!([{"id": 41, "title": "Worn fixture"}]))
    );

    let incident = accepted(
        &service,
        "PUT",
        path,
        &json!([{"id": 51}, {"id": 52, "amount": null}]),
    )
    .await;
    assert_eq!(incident["consequences"][0]["amount"], Value::Null);
    assert_eq!(incident["consequences"][1]["amount"], Value::Null);
    assert_eq!(
        accepted(&service, "PUT", path, &json!([])).await["consequences"],
        json!([])
    );
}

#[tokio::test]
async fn causes_are_replaced_as_a_whole() {
    let service = plant().await;
    let path = "/v1/Incidents/100/causes";
    let incident = accepted(
        &service,
        "PUT",
        path,
        &json!([{"id": 42, "title": "ignored"}]),
    )
    .await;
    assert_eq!(
        incident["causes"],
        json!([{"id": 42, "title": "Wrong setting"}])
    );
    assert_eq!(
        (
            &incident["lastModified"],
            &incident["consequences"][0]["amount"]
        ),
        (&json!(NOW), &json!(14.0))
    );
    assert_eq!(
        accepted(&service, "PUT", path, &json!([])).await["causes"],
        json!([])
    );
}

#[tokio::test]
async fn wrong_parts_are_refused_and_the_old_ones_stay() {
    let service = plant().await;
    for (part, other, own) in [("consequences", 53, 51), ("causes", 43, 41)] {
        let path = format!("/v1/Incidents/100/{part}");
        let problem = refused(
            &service,
            "PUT",
            &path,
            &json!([{"id": own}, {"id": other}]),
            422,
            "reference.other_type",
        )
        .await;
        assert!(problem["errors"]["[1].id"].is_array(), "{problem:#}");
        refused(
            &service,
            "PUT",
            &path,
            &json!([{"id": 99}]),
            422,
            "reference.unknown",
        )
        .await;
        refused(
            &service,
            "PUT",
            &path,
            &json!([{"id": own}, {"id": own}]),
            422,
            "reference.duplicate",
        )
        .await;
        for body in [
            json!({}),
            json!(null),
            json!([{}]),
            json!([{"id": null}]),
            json!([{"id": 1.5}]),
            json!([own]),
        ] {
            refused(&service, "PUT", &path, &body, 400, "body.invalid").await;
        }
    }
}

#[tokio::test]
async fn an_amount_is_a_number_that_a_double_holds() {
    let service = plant().await;
    let before = everything(&service).await;
    for amount in ["NaN", "Infinity", "1e999", "-1e999", "\"14\"", "true"] {
        let body = format!("[{{\"id\": 51, \"amount\": {amount}}}]");
        let request = service
            .request(Method::PUT, "/v1/Incidents/100/consequences")
            .header("content-type", "application/json")
            .body(body);
        let answer = Answer::of(request).await;
        assert_eq!(answer.status, 400, "{amount}: {}", answer.text());
    }
    assert_eq!(everything(&service).await, before);
}

#[tokio::test]
async fn the_external_id_is_a_bare_string() {
    let service = plant().await;
    let path = "/v1/Incidents/100/externalId";
    let incident = accepted(&service, "PUT", path, &json!("c100")).await;
    assert_eq!(
        (
            &incident["externalId"],
            &incident["lastModified"],
            &incident["title"]
        ),
        (&json!("c100"), &json!(NOW), &json!("Crack"))
    );
    let long = "ø".repeat(255);
    assert_eq!(
        accepted(&service, "PUT", path, &json!(long)).await["externalId"],
        long.as_str()
    );
    assert_eq!(
        accepted(&service, "PUT", path, &json!("")).await["externalId"],
        ""
    );
    assert_eq!(
        accepted(&service, "PUT", path, &Value::Null).await["externalId"],
        Value::Null
    );

    let problem = refused(
        &service,
        "PUT",
        path,
        &json!("ø".repeat(256)),
        400,
        "body.invalid",
    )
    .await;
    assert_eq!(
        problem["errors"],
        json!({"externalId": ["expected at most 255 characters, found 256"]})
    );
    for body in [json!({"externalId": "c100"}), json!(100), json!(["c100"])] {
        refused(&service, "PUT", path, &body, 400, "body.invalid").await;
    }
    refused(&service, "PUT", path, &json!("a\0b"), 400, "body.malformed").await;
}
