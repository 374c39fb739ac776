//! Batches of values: all or none, and a period that a reader sees either before or after its replacement.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::Method;
use serde_json::{Value, json};

use super::{STAMPS, VALUES, add, delete_with, everything, page, plant, value, with};
use crate::support::Answer;

/// This many values, a minute apart from the beginning of this day.
fn minutes(day: &str, count: usize, figure: impl Fn(usize) -> f64) -> Vec<Value> {
    let at = |n: usize| {
        let (hour, minute, second) = (n / 3600, n / 60 % 60, n % 60);
        value(
            figure(n),
            &format!("{day}T{hour:02}:{minute:02}:{second:02}Z"),
        )
    };
    (0..count).map(at).collect()
}

#[tokio::test]
async fn a_batch_has_its_ids_in_its_order_and_one_registration() {
    let service = plant().await;
    service
        .post(VALUES, &value(0, "2025-06-01T10:00:00Z"))
        .await;
    let batch = [
        with(
            value(3, "2025-06-01T12:00:00Z"),
            json!({"dimension": "late", "dataSourceId": 4}),
        ),
        value(1, "2025-06-01T09:00:00Z"),
        value(2, "2025-06-01T12:00:00Z"),
    ];
    assert_eq!(add(&service, VALUES, &batch).await, 3);
    assert_eq!(
        page(&service, "").await,
        (4, vec![(3, 1.0), (1, 0.0), (2, 3.0), (4, 2.0)])
    );
    let listed = service.get(VALUES).await.json();
    for index in [0, 2, 3] {
        assert_eq!(listed["values"][index]["registrationDate"], STAMPS[1]);
    }
    assert_eq!(listed["values"][2]["dimension"], "late");
    let before = everything(&service).await;
    assert_eq!(add(&service, VALUES, &[]).await, 0);
    assert_eq!(everything(&service).await, before);
}

#[tokio::test]
async fn a_datasource_that_is_not_there_takes_not_even_an_empty_batch() {
    let service = plant().await;
    let before = everything(&service).await;
    let path = "/v1/Datasources/99/values";
    let batch = format!("{path}/batch");
    let replace = format!("{path}/batchReplace{JUNE}");
    let one = json!([value(1, "2025-06-01T10:00:00Z")]);
    for answer in [
        service.post(&batch, &json!([])).await,
        service.post(&batch, &one).await,
        service.put(&replace, &json!([])).await,
        service.put(&replace, &one).await,
        delete_with(&service, &batch, &json!([])).await,
        delete_with(&service, &batch, &json!([1])).await,
    ] {
        let problem = answer.is_problem(404, "not_found");
        assert_eq!(problem["detail"], "There is no datasource 99.");
    }
    assert_eq!(everything(&service).await, before);
}

#[tokio::test]
async fn one_bad_value_among_ten_thousand_leaves_nothing() {
    let service = plant().await;
    let scrap = "/v1/Datasources/2/values";
    let shift = json!({"dimension": "early"});
    let good: Vec<_> = minutes("2025-06-01", 10_000, |n| n as f64 / 4.0)
        .into_iter()
        .map(|value| with(value, shift.clone()))
        .collect();
    assert_eq!(add(&service, scrap, &good[..10]).await, 10);
    let before = everything(&service).await;
    let tag = service.get(scrap).await.header("etag").to_owned();
    for (more, status, code, field) in [
        (
            json!({"externalId": "x".repeat(256)}),
            400,
            "body.invalid",
            "[9998].externalId",
        ),
        (json!({"value": "1"}), 400, "body.invalid", "[9998].value"),
        (
            json!({"dimension": null}),
            422,
            "element.missing",
            "[9998].dimension",
        ),
        (
            json!({"dimension2": "many"}),
            422,
            "element.type",
            "[9998].dimension2",
        ),
        (
            json!({"areaId": 99}),
            422,
            "reference.unknown",
            "[9998].areaId",
        ),
    ] {
        let mut batch = good.clone();
        batch[9998] = with(batch[9998].clone(), more);
        let answer = service.post(&format!("{scrap}/batch"), &json!(batch)).await;
        let problem = answer.is_problem(status, code);
        let fields: Vec<_> = problem["errors"]
            .as_object()
            .expect("fields")
            .keys()
            .collect();
        assert_eq!(fields, [field]);
        assert_eq!(everything(&service).await, before, "{field}");
    }
    assert_eq!(service.get(scrap).await.header("etag"), tag);
    assert_eq!(add(&service, scrap, &good).await, 10_000);
    let stored = service.get(&format!("{scrap}?pageSize=1")).await.json();
    assert_eq!(stored["count"], 10_010);
}

#[tokio::test]
async fn every_bad_value_is_named_up_to_a_hundred() {
    let service = plant().await;
    let path = format!("{VALUES}/batch");
    let named = async |batch: Value| {
        let problem = service.post(&path, &batch).await;
        let problem = problem.is_problem(400, "body.invalid");
        let errors = problem["errors"].as_object().expect("fields");
        errors.keys().cloned().collect::<Vec<_>>()
    };
    let good = value(1, "2025-06-01T10:00:00Z");
    let mixed = json!([
        good,
        with(good.clone(), json!({"dimension": 7})),
        7,
        {"value": 1},
        with(good.clone(), json!({"valueDate": "noon"})),
    ]);
    assert_eq!(
        named(mixed).await,
        ["[1].dimension", "[2]", "[3].valueDate", "[4].valueDate"]
    );
    let long = with(
        good.clone(),
        json!({"dimension": "x".repeat(101), "description": "x".repeat(256)}),
    );
    assert_eq!(
        named(json!([good, long])).await,
        ["[1].description", "[1].dimension"]
    );
    for bad in [json!({}), long, json!([])] {
        assert_eq!(named(json!(vec![bad; 200])).await.len(), 100);
    }
    assert_eq!(named(json!(vec![good.clone(); 10_001])).await, ["body"]);
    assert_eq!(named(good).await, ["body"]);
    assert_eq!(named(json!("x")).await, ["body"]);
}

#[tokio::test]
async fn the_largest_batch_of_the_longest_texts_is_taken() {
    let service = plant().await;
    let longest = json!({
        "value": -1.797_693_134_862_315_7e308, "valueDate": "2025-06-01T10:00:00.1234567+02:00", "areaId": i32::MIN, "assetId": i32::MIN,
        "projectId": i32::MIN, "description": "x".repeat(255), "dimension": "x".repeat(100), "dimension2": "x".repeat(100),
        "dimension3": "x".repeat(100), "dimension4": "x".repeat(100), "externalId": "x".repeat(255), "dataSourceId": i32::MIN,
    });
    assert_eq!(add(&service, VALUES, &vec![longest; 10_000]).await, 10_000);
    let more = service.request(Method::POST, &format!("{VALUES}/batch"));
    let more = more.header("content-type", "application/json");
    let answer = Answer::of(more.body(vec![b' '; (16 << 20) + 1])).await;
    answer.is_problem(413, "body.too_large");
}

#[tokio::test]
async fn values_are_deleted_by_their_ids_and_counted() {
    let service = plant().await;
    add(
        &service,
        VALUES,
        &minutes("2025-06-01", 3_000, |n| n as f64),
    )
    .await;
    let other = service
        .post(
            "/v1/Datasources/2/values",
            &with(
                value(1, "2025-06-01T10:00:00Z"),
                json!({"dimension": "early"}),
            ),
        )
        .await;
    assert_eq!(other.json()["id"], 3_001);
    let path = format!("{VALUES}/batch");
    let gone = async |ids: Value| delete_with(&service, &path, &ids).await.text();
    // Another datasource's, one that never was, one named twice.
    assert_eq!(gone(json!([5, 3_001, 9_999, 5, -1, 7])).await, "2");
    assert_eq!(gone(json!([5])).await, "0");
    assert_eq!(gone(json!([])).await, "0");
    let most: Vec<i32> = (1..=2_990).collect();
    assert_eq!(gone(json!(most)).await, "2988");
    let left: Vec<_> = (2_991..=3_000).map(|id| (id, (id - 1) as f64)).collect();
    assert_eq!(page(&service, "").await, (10, left));
    let before = everything(&service).await;
    let wrong = delete_with(&service, &path, &json!([1, "2", 3.5, null])).await;
    let problem = wrong.is_problem(400, "body.invalid");
    let fields: Vec<_> = problem["errors"]
        .as_object()
        .expect("fields")
        .keys()
        .collect();
    assert_eq!(fields, ["[1]", "[2]", "[3]"]);
    for count in [10_001, 30_000] {
        let many = delete_with(&service, &path, &json!(vec![1; count])).await;
        let problem = many.is_problem(400, "body.invalid");
        let text =
            format!("expected at most 10000 ids, found {count}; send them in several requests");
        assert_eq!(problem["errors"], json!({"body": [text]}));
    }
    let nowhere = delete_with(&service, "/v1/Datasources/99/values/batch", &json!([1])).await;
    nowhere.is_problem(404, "not_found");
    assert_eq!(everything(&service).await, before);
}

const JUNE: &str = "?from=2025-06-01T00:00:00Z&to=2025-06-30T23:59:59.9999999Z";

#[tokio::test]
async fn a_period_is_replaced_with_both_its_ends() {
    let service = plant().await;
    let ends = [
        value(1, "2025-05-31T23:59:59.9999999Z"),
        value(2, "2025-06-01T00:00:00Z"),
        value(3, "2025-06-15T00:00:00Z"),
        value(4, "2025-06-30T23:59:59.9999999Z"),
        value(5, "2025-07-01T00:00:00Z"),
    ];
    add(&service, VALUES, &ends).await;
    let path = format!("{VALUES}/batchReplace{JUNE}");
    let put = async |values: Value| service.put(&path, &values).await;
    let june = [
        value(6, "2025-06-30T23:59:59.9999999Z"),
        value(7, "2025-06-01T00:00:00Z"),
    ];
    let replaced = put(json!(june)).await;
    assert_eq!(replaced.text(), r#"{"total":2}"#);
    assert_eq!(
        page(&service, "").await,
        (4, vec![(1, 1.0), (7, 7.0), (6, 6.0), (5, 5.0)])
    );
    let before = everything(&service).await;
    let outside = json!([june[0], ends[0], june[1], ends[4]]);
    let problem = put(outside).await.is_problem(400, "body.invalid");
    let fields: Vec<_> = problem["errors"]
        .as_object()
        .expect("fields")
        .keys()
        .collect();
    assert_eq!(fields, ["[1].valueDate", "[3].valueDate"]);
    for query in [
        "",
        "?from=2025-06-01T00:00:00Z",
        "?to=2025-06-01T00:00:00Z",
        "?from=june&to=2025-06-01T00:00:00Z",
        // The months of a list; a write must not mistake one for a day.
        "?from=06-01-2025&to=2025-06-02T00:00:00Z",
        "?from=2025-06-02T00:00:00Z&to=2025-06-01T00:00:00Z",
        "?from=2025-06-01T00:00:00Z&to=2025-06-01T00:00:00Z&to=2025-06-02T00:00:00Z",
    ] {
        let answer = service
            .put(&format!("{VALUES}/batchReplace{query}"), &json!([]))
            .await;
        answer.is_problem(400, "query.invalid");
    }
    assert_eq!(everything(&service).await, before);
    assert_eq!(put(json!([])).await.text(), r#"{"total":0}"#);
    assert_eq!(page(&service, "").await, (2, vec![(1, 1.0), (5, 5.0)]));
    // A period of one instant: a day is its first.
    let instant = "?from=2025-07-01&to=2025-07-01T00:00:00Z";
    let replaced = service
        .put(
            &format!("{VALUES}/batchReplace{instant}"),
            &json!([value(9, "2025-07-01T00:00:00Z")]),
        )
        .await;
    assert_eq!(replaced.text(), r#"{"total":1}"#);
    assert_eq!(page(&service, "").await, (2, vec![(1, 1.0), (8, 9.0)]));
}

/// Every page shows one state: all its values belong to the same replacement.
#[tokio::test(flavor = "multi_thread")]
async fn a_reader_sees_the_old_period_or_the_new_one() {
    const ROUNDS: usize = 12;
    let service = Arc::new(plant().await);
    let stop = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = ["", "&$filter=value%20ge%200", "&from=2025-05-01T00:00:00Z"]
        .map(|narrowed| {
            let (service, stop) = (Arc::clone(&service), Arc::clone(&stop));
            tokio::spawn(async move {
                let mut seen = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    let (count, values) =
                        page(&service, &format!("?pageSize=10000{narrowed}")).await;
                    assert_eq!(
                        count,
                        i64::try_from(values.len()).expect("few"),
                        "{narrowed}"
                    );
                    let round = values.first().map_or(0.0, |(_, round)| *round);
                    assert!(
                        values.iter().all(|(_, value)| *value == round),
                        "{narrowed}: a page of two states"
                    );
                    assert_eq!(values.len(), size(round as usize), "{narrowed}");
                    seen.push(round as usize);
                }
                seen
            })
        })
        .into();
    for round in 1..=ROUNDS {
        let values = minutes("2025-06-10", size(round), |_| round as f64);
        let path = format!("{VALUES}/batchReplace{JUNE}");
        let replaced = service.put(&path, &json!(values)).await;
        assert_eq!(replaced.status, 200, "{}", replaced.text());
    }
    stop.store(true, Ordering::Relaxed);
    for reader in readers {
        let seen = reader.await.expect("whole pages");
        assert!(seen.is_sorted(), "{seen:?}");
    }
    assert_eq!(page(&service, "?pageSize=1").await.0, size(ROUNDS) as i64);
}

/// How many values a replacement brings.
fn size(round: usize) -> usize {
    if round == 0 {
        0
    } else {
        1_000 + round % 3 * 700
    }
}
