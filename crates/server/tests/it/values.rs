//! The values of a datasource over HTTP: pages, bounds, filter, order, and every wrong parameter.

use serde_json::json;

use crate::reads_plant::{Plant, ids};

const PATH: &str = "/v1/Datasources/1/values";

async fn values(plant: &Plant, query: &str) -> (i64, Vec<i64>) {
    let answer = plant.get(&format!("{PATH}{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    (
        answer.json()["count"].as_i64().expect("a count"),
        ids(&answer.json()["values"]),
    )
}

#[tokio::test]
async fn a_page_says_what_it_is_and_holds_whole_values() {
    let plant = Plant::new().await;
    let answer = plant.get(&format!("{PATH}?pageSize=1&page=5")).await;
    let expected = json!({"pageSize": 1, "pageNo": 5, "count": 9, "values": [{
        "id": 5, "dataSourceId": 1, "registrationDate": "2024-02-29T06:00:00Z", "areaId": 3, "assetId": 6, "projectId": null, "value": 7.0,
        "description": "leap", "dimension": "Shift 1", "dimension2": null, "dimension3": "blue", "dimension4": "q",
        "valueDate": "2024-02-29T10:20:30Z", "externalId": null,
    }]});
    assert_eq!(answer.json(), expected);
    let first = plant.get(PATH).await.json();
    assert_eq!(
        (&first["pageSize"], &first["pageNo"]),
        (&json!(1000), &json!(1))
    );
}

#[tokio::test]
async fn values_come_by_date_and_then_by_id() {
    let plant = Plant::new().await;
    // 8 and 9 have the same date; a later id with an early date comes first.
    plant.change(&["INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date) VALUES (1, 0, 11, 1.0, 0)",
        "UPDATE datasources SET value_count = 10, change_counter = change_counter + 1 WHERE id = 1"]).await;
    assert_eq!(
        values(&plant, "").await,
        (10, vec![11, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    );
}

#[tokio::test]
async fn pages_follow_one_another_and_end_empty() {
    let plant = Plant::new().await;
    assert_eq!(values(&plant, "?pageSize=4&page=3").await, (9, vec![9]));
    assert_eq!(values(&plant, "?pageSize=4").await, (9, vec![1, 2, 3, 4]));
    assert_eq!(
        values(&plant, "?pageSize=4&page=2").await,
        (9, vec![5, 6, 7, 8])
    );
    assert_eq!(values(&plant, "?pageSize=4&page=4").await, (9, vec![]));
    assert_eq!(
        values(&plant, "?pageSize=10000&page=2147483647").await,
        (9, vec![])
    );
}

#[tokio::test]
async fn both_bounds_are_exclusive_and_without_an_offset_utc() {
    let plant = Plant::new().await;
    // 2 is at 2024-01-01T12:00:00Z, 5 at 2024-02-29T10:20:30Z.
    assert_eq!(
        values(&plant, "?from=2024-01-01T12:00:00Z&to=2024-02-29T10:20:30Z").await,
        (2, vec![3, 4])
    );
    assert_eq!(
        values(&plant, "?from=2024-01-01T12:00:00&to=2024-02-29T10:20:30").await,
        (2, vec![3, 4])
    );
    assert_eq!(
        values(
            &plant,
            "?from=2024-01-01T13:00:00%2B01:00&to=2024-02-29T05:20:30-05:00"
        )
        .await,
        (2, vec![3, 4])
    );
    assert_eq!(
        values(
            &plant,
            "?from=2024-01-01T13:00:00+01:00&to=2024-02-29T10:20:30Z"
        )
        .await,
        (2, vec![3, 4])
    );
    // A day is its first instant: 1 is at 2024-01-01T00:00:00Z, 3 a day later, 4 a second before the next.
    for (query, expected) in [
        ("?from=2024-01-01&to=2024-01-02", (1, vec![2])),
        ("?from=01-01-2024&to=01-02-2024", (1, vec![2])),
        ("?from=01-02-2024&to=2024-02-29", (1, vec![4])),
    ] {
        assert_eq!(values(&plant, query).await, expected, "{query}");
    }
    assert_eq!(
        values(
            &plant,
            "?from=2024-01-01T11:59:59.9999999Z&to=2024-02-29T10:20:30.0000001Z"
        )
        .await,
        (4, vec![2, 3, 4, 5])
    );
    assert_eq!(
        values(&plant, "?from=2025-01-01T00:00:00Z&pageSize=1&page=2").await,
        (2, vec![9])
    );
    assert_eq!(
        values(&plant, "?from=2024-01-01T12:00:00Z&to=2024-01-01T12:00:00Z").await,
        (0, vec![])
    );
}

#[tokio::test]
async fn filter_and_order_are_the_clients() {
    let plant = Plant::new().await;
    assert_eq!(
        values(&plant, "?$filter=dimension eq 'Shift 1'").await,
        (4, vec![1, 3, 5, 8])
    );
    assert_eq!(
        values(
            &plant,
            "?$filter=dimension eq 'Shift 1'&$orderby=value desc"
        )
        .await,
        (4, vec![1, 5, 8, 3])
    );
    assert_eq!(
        values(
            &plant,
            "?$filter=dimension eq 'Shift 1'&$orderby=value desc&pageSize=2&page=2"
        )
        .await,
        (4, vec![8, 3])
    );
    assert_eq!(
        values(&plant, "?$orderby=valueDate desc&pageSize=3").await,
        (9, vec![8, 9, 7])
    );
    assert_eq!(
        values(&plant, "?$filter=value lt 0&from=2024-06-01T00:00:00Z").await,
        (1, vec![9])
    );
}

#[tokio::test]
async fn an_empty_and_an_unknown_datasource_differ() {
    let plant = Plant::new().await;
    assert_eq!(
        plant.get("/v1/Datasources/3/values").await.text(),
        r#"{"pageSize":1000,"pageNo":1,"count":0,"values":[]}"#
    );
    plant
        .get("/v1/Datasources/4/values")
        .await
        .is_problem(404, "not_found");
}

#[tokio::test]
async fn a_wrong_parameter_is_refused() {
    let plant = Plant::new().await;
    for (query, code, field) in [
        ("pageSize=0", "query.invalid", "pageSize"),
        ("pageSize=10001", "query.invalid", "pageSize"),
        ("pageSize=1e3", "query.invalid", "pageSize"),
        ("page=0", "query.invalid", "page"),
        ("page=-1", "query.invalid", "page"),
        ("page=2147483648", "query.invalid", "page"),
        ("page=", "query.invalid", "page"),
        ("page=1&page=2", "query.invalid", "page"),
        ("from=2024-13-01T00:00:00Z", "query.invalid", "from"),
        ("to=2024-02-30T00:00:00Z", "query.invalid", "to"),
        ("to=yesterday", "query.invalid", "to"),
        ("to=31-01-2024", "query.invalid", "to"),
        ("to=1-31-2024", "query.invalid", "to"),
        ("to=01/31/2024", "query.invalid", "to"),
        ("to=31.01.2024", "query.invalid", "to"),
        (
            "from=2024-02-01T00:00:00Z&to=2024-01-01T00:00:00Z",
            "query.invalid",
            "from",
        ),
        ("$filter=nosuch eq 1", "odata.unknown_property", "$filter"),
        ("$orderby=nosuch", "odata.unknown_property", "$orderby"),
        ("$top=5", "odata.option", "$top"),
    ] {
        let answer = plant.get(&format!("{PATH}?{query}")).await;
        answer.is_problem(400, code);
        assert!(
            answer.json()["errors"].get(field).is_some(),
            "{query}: {}",
            answer.text()
        );
    }
    plant
        .get("/v1/Datasources/abc/values")
        .await
        .is_problem(400, "path.invalid");
}

#[tokio::test]
async fn the_message_names_what_was_found_and_what_was_expected() {
    let plant = Plant::new().await;
    let answer = plant.get(&format!("{PATH}?pageSize=10001")).await;
    assert_eq!(
        answer.json()["errors"]["pageSize"][0],
        "found `10001`, expected an integer from 1 to 10000"
    );
}

/// 120,000 values, two on each date, ids in order. Every page must have exactly its rows, whatever was
/// requested before: the caches of pages must never show.
#[tokio::test]
async fn far_pages_hold_their_rows_in_whatever_order_they_are_asked() {
    let plant = Plant::new().await;
    plant
        .change(&[
            "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < 120000)
             INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date)
             SELECT 3, (i + 1) / 2 * 10000000, 1000 + i, i % 10, 0 FROM n",
            "UPDATE datasources SET value_count = 120000, change_counter = change_counter + 1 WHERE id = 3",
        ])
        .await;
    let page = async |number: i64, extra: &str| {
        let answer = plant
            .get(&format!(
                "/v1/Datasources/3/values?pageSize=1000&page={number}{extra}"
            ))
            .await;
        (
            answer.json()["count"].as_i64(),
            ids(&answer.json()["values"]),
        )
    };
    for number in [118, 1, 2, 60, 59, 118, 120, 61, 119] {
        let first = 1000 + (number - 1) * 1000 + 1;
        assert_eq!(
            page(number, "").await,
            (Some(120_000), (first..first + 1000).collect()),
            "page {number}"
        );
    }
    // Every tenth value has the value 3, beginning with the third.
    for number in [12, 1, 7, 12] {
        let first = 1000 + 3 + (number - 1) * 10_000;
        let expected: Vec<i64> = (first..first + 10_000).step_by(10).collect();
        assert_eq!(
            page(number, "&$filter=value eq 3").await,
            (Some(12_000), expected),
            "filtered page {number}"
        );
    }
    // A value before all others moves every page on by one.
    plant
        .change(&[
            "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date) VALUES (3, 0, 999, 0.0, 0)",
            "UPDATE datasources SET value_count = 120001, change_counter = change_counter + 1 WHERE id = 3",
        ])
        .await;
    assert_eq!(
        page(60, "").await,
        (Some(120_001), (60_000..61_000).collect())
    );
}
