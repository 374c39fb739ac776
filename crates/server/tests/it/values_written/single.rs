//! One value at a time.

use obeya_server::import::OnConflict;
use reqwest::Method;
use serde_json::json;

use super::{STAMPS, VALUES, delete, everything, page, plant, value, with};
use crate::import_folder::Folder;
use crate::support::Answer;

#[tokio::test]
async fn a_value_is_added_with_all_it_has_and_registered_now() {
    let service = plant().await;
    let whole = json!({
        "value": -0.25, "valueDate": "2025-06-01T10:00:00+02:00", "areaId": 2, "assetId": 5, "projectId": 77, "description": "by hand",
        "dimension": "early", "dimension2": "Press 2", "dimension3": "", "dimension4": "æ", "externalId": "mes-1", "dataSourceId": 99, "id": 4,
    });
    let added = service.post(VALUES, &whole).await;
    assert_eq!(added.status, 200, "{}", added.text());
    let expected = json!({
        "id": 1, "dataSourceId": 1, "registrationDate": STAMPS[0], "areaId": 2, "assetId": 5, "projectId": 77, "value": -0.25,
        "description": "by hand", "dimension": "early", "dimension2": "Press 2", "dimension3": "", "dimension4": "æ",
        "valueDate": "2025-06-01T08:00:00Z", "externalId": "mes-1",
    });
    assert_eq!(added.json(), expected);
    // The page shows the same; without an offset an instant is UTC.
    let least = service.post(VALUES, &value(7, "2025-06-01T09:00:00")).await;
    let expected_least = json!({
        "id": 2, "dataSourceId": 1, "registrationDate": STAMPS[1], "areaId": null, "assetId": null, "projectId": null, "value": 7.0,
        "description": null, "dimension": null, "dimension2": null, "dimension3": null, "dimension4": null,
        "valueDate": "2025-06-01T09:00:00Z", "externalId": null,
    });
    assert_eq!(least.json(), expected_least);
    let listed = service.get(VALUES).await.json();
    assert_eq!(listed["values"], json!([expected, expected_least]));
    assert_eq!(listed["count"], 2);
}

#[tokio::test]
async fn a_value_is_replaced_as_a_whole_and_registered_anew() {
    let service = plant().await;
    let first = with(
        value(1, "2025-06-01T10:00:00Z"),
        json!({"dimension": "early", "externalId": "x"}),
    );
    service.post(VALUES, &first).await;
    service
        .post(VALUES, &value(2, "2025-06-01T11:00:00Z"))
        .await;
    // It moves behind the other one.
    let path = format!("{VALUES}/1");
    let changed = with(
        value(3, "2025-06-01T12:00:00Z"),
        json!({"dimension2": "Press 1"}),
    );
    let answer = service.put(&path, &changed).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let body = answer.json();
    assert_eq!(
        (&body["id"], &body["registrationDate"], &body["dimension"]),
        (&json!(1), &json!(STAMPS[2]), &json!(null))
    );
    assert_eq!(
        (&body["dimension2"], &body["externalId"]),
        (&json!("Press 1"), &json!(null))
    );
    assert_eq!(page(&service, "").await, (2, vec![(2, 2.0), (1, 3.0)]));
    let since = format!("?$filter=registrationDate%20gt%20{}", STAMPS[1]);
    assert_eq!(page(&service, &since).await, (1, vec![(1, 3.0)]));
}

#[tokio::test]
async fn a_value_that_is_gone_is_gone_and_its_id_never_comes_back() {
    let service = plant().await;
    for figure in 1..=3 {
        service
            .post(VALUES, &value(figure, "2025-06-01T10:00:00Z"))
            .await;
    }
    let last = format!("{VALUES}/3");
    let gone = delete(&service, &last).await;
    assert_eq!((gone.status, gone.text()), (200, String::new()));
    assert_eq!(page(&service, "").await, (2, vec![(1, 1.0), (2, 2.0)]));
    delete(&service, &last).await.is_problem(404, "not_found");
    let put = service.put(&last, &value(1, "2025-06-01T10:00:00Z")).await;
    put.is_problem(404, "not_found");
    let next = service
        .post(VALUES, &value(4, "2025-06-01T10:00:00Z"))
        .await;
    assert_eq!(next.json()["id"], 4);
}

#[tokio::test]
async fn values_belong_to_their_datasource() {
    let service = plant().await;
    service
        .post(VALUES, &value(1, "2025-06-01T10:00:00Z"))
        .await;
    let before = everything(&service).await;
    let body = value(2, "2025-06-01T10:00:00Z");
    for path in ["/v1/Datasources/3/values/1", "/v1/Datasources/99/values/1"] {
        delete(&service, path).await.is_problem(404, "not_found");
        service.put(path, &body).await.is_problem(404, "not_found");
    }
    let path = "/v1/Datasources/99/values/1";
    for nowhere in [
        service.post("/v1/Datasources/99/values", &body).await,
        service.put(path, &body).await,
        delete(&service, path).await,
    ] {
        nowhere.is_problem(404, "not_found");
        assert_eq!(nowhere.json()["detail"], "There is no datasource 99.");
    }
    for path in ["/v1/Datasources/1/values/x", "/v1/Datasources/x/values/1"] {
        delete(&service, path).await.is_problem(400, "path.invalid");
    }
    assert_eq!(everything(&service).await, before);
}

#[tokio::test]
async fn what_is_no_value_is_refused_by_its_field() {
    let service = plant().await;
    let before = everything(&service).await;
    let good = value(1, "2025-06-01T10:00:00Z");
    for (body, field, text) in [
        (
            json!({"valueDate": "2025-06-01T10:00:00Z"}),
            "value",
            "is required",
        ),
        (json!({"value": 1}), "valueDate", "is required"),
        (
            with(good.clone(), json!({"value": "1"})),
            "value",
            "expected a number, found string \"1\"",
        ),
        (
            with(good.clone(), json!({"value": null})),
            "value",
            "expected a number, found null",
        ),
        (
            with(good.clone(), json!({"description": "é".repeat(256)})),
            "description",
            "expected at most 255 characters, found 256",
        ),
        (
            with(good.clone(), json!({"dimension4": "x".repeat(101)})),
            "dimension4",
            "expected at most 100 characters, found 101",
        ),
        (
            with(good.clone(), json!({"externalId": "x".repeat(300)})),
            "externalId",
            "expected at most 255 characters, found 300",
        ),
        (
            with(good.clone(), json!({"areaId": 2_147_483_648_i64})),
            "areaId",
            "expected an integer of 32 bits, found integer `2147483648`",
        ),
    ] {
        let answer = service.post(VALUES, &body).await;
        let problem = answer.is_problem(400, "body.invalid");
        assert_eq!(problem["errors"], json!({field: [text]}), "{body}");
    }
    let never = service
        .post(VALUES, &value(1, "2025-02-30T10:00:00Z"))
        .await;
    let problem = never.is_problem(400, "body.invalid");
    assert!(problem["errors"]["valueDate"].is_array(), "{problem}");
    for text in [
        r#"{"value": NaN, "valueDate": "2025-06-01T10:00:00Z"}"#,
        r#"{"value": 1e999, "valueDate": "2025-06-01T10:00:00Z"}"#,
        r#"{"value": 1, "valueDate": "2025-06-01T10:00:00Z", "dimension": "\u0000"}"#,
    ] {
        let request = service.request(Method::POST, VALUES).body(text);
        let answer = Answer::of(request.header("content-type", "application/json")).await;
        answer.is_problem(400, "body.malformed");
    }
    let strict = service
        .request(Method::POST, VALUES)
        .header("prefer", "handling=strict")
        .json(&with(good, json!({"dataSourceId": 1})));
    let problem = Answer::of(strict)
        .await
        .is_problem(400, "body.unknown_property");
    assert!(problem["errors"]["dataSourceId"].is_array(), "{problem}");
    assert_eq!(everything(&service).await, before);
}

#[tokio::test]
async fn ids_end_where_an_int32_does() {
    let service = plant().await;
    let near = service.store().write(|session| {
        let sql = "INSERT INTO counters (name, last) VALUES ('datasource_values', 2147483646)";
        session.execute(sql, &[])
    });
    near.await.expect("the row");
    let body = value(1, "2025-06-01T10:00:00Z");
    let two = service
        .post(&format!("{VALUES}/batch"), &json!([body, body]))
        .await;
    two.is_problem(409, "value.ids_exhausted");
    assert_eq!(service.post(VALUES, &body).await.json()["id"], i32::MAX);
    let before = everything(&service).await;
    let problem = service.post(VALUES, &body).await;
    problem.is_problem(409, "value.ids_exhausted");
    assert_eq!(everything(&service).await, before);
}

#[tokio::test]
async fn a_value_is_changed_only_as_it_was_seen() {
    let service = plant().await;
    let added = service
        .post(VALUES, &value(1, "2025-06-01T10:00:00Z"))
        .await;
    let seen = added.header("etag").to_owned();
    assert!(!seen.is_empty());
    let path = format!("{VALUES}/1");
    let put = |figure: i32, tag: &str| {
        let request = service.request(Method::PUT, &path).header("if-match", tag);
        Answer::of(request.json(&value(figure, "2025-06-01T10:00:00Z")))
    };
    let changed = put(2, &seen).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    put(3, &seen).await.is_problem(412, "precondition.failed");
    let remove = |tag: &str| {
        let request = service.request(Method::DELETE, &path);
        Answer::of(request.header("if-match", tag))
    };
    remove(&seen).await.is_problem(412, "precondition.failed");
    assert_eq!(page(&service, "").await, (1, vec![(1, 2.0)]));
    let gone = remove(changed.header("etag")).await;
    assert_eq!(gone.status, 200, "{}", gone.text());
    assert_eq!(page(&service, "").await, (0, vec![]));
}

/// Ids from an import count as used, even after deletion.
#[tokio::test]
async fn ids_go_on_after_those_of_an_import() {
    let service = plant().await;
    let folder = Folder::empty();
    folder.write(
        "datasource_values.jsonl",
        "{\"id\":500,\"dataSourceId\":1,\"value\":1,\"valueDate\":\"2024-06-01T10:00:00Z\"}\n\
         {\"id\":40,\"dataSourceId\":1,\"value\":2,\"valueDate\":\"2024-06-02T10:00:00Z\"}",
    );
    let imported = folder.import(service.db(), OnConflict::Fail).await;
    imported.expect("imported");
    let gone = delete(&service, &format!("{VALUES}/500")).await;
    assert_eq!(gone.status, 200, "{}", gone.text());
    let added = service
        .post(VALUES, &value(3, "2024-06-03T10:00:00Z"))
        .await;
    assert_eq!(added.json()["id"], 501);
    assert_eq!(page(&service, "").await, (2, vec![(40, 2.0), (501, 3.0)]));
}
