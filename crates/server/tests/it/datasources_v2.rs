//! Datasources and their values under `/v2`: the options of OData, and `$apply` over values.

use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::support::{Answer, Service};

/// Values of two shifts on two days. Eight of datasource 1, with a tie of dates and without a number in one;
/// one of datasource 2.
const VALUES: &str = "INSERT INTO datasource_values
    (datasource_id, value_date, id, value, registration_date, dimension) VALUES
    (1, 17091648000000000, 31, 1.5, 1, 'early'),
    (1, 17091648000000000, 30, 2.5, 1, 'late'),
    (1, 17091684000000000, 22, 4.0, 1, 'early'),
    (1, 17091720000000000, 23, NULL, 1, 'early'),
    (1, 17092512000000000, 12, 8.0, 1, 'late'),
    (1, 17092548000000000, 13, 16.0, 1, NULL),
    (1, 17092584000000000, 14, -32.0, 1, 'late'),
    (1, 17092584000000001, 15, 0.25, 1, 'early'),
    (2, 17092584000000001, 16, 99.0, 1, 'early')";

const DATASOURCES: &str = "INSERT INTO datasources (id, title, unit_of_time, value_count)
    VALUES (1, 'Scrap', 'Shift', 8), (2, 'Output', NULL, 1)";

async fn plant() -> Service {
    let service = Service::start().await;
    write(&service, DATASOURCES).await;
    write(&service, VALUES).await;
    service
}

async fn write(service: &Service, sql: &'static str) {
    let ran = service
        .store()
        .write(move |session| session.execute(sql, &[]));
    ran.await.expect("the statement fits the schema");
}

async fn get(service: &Service, path: &str, header: (&str, &str)) -> Answer {
    let request = service.request(Method::GET, path);
    Answer::of(request.header(header.0, header.1)).await
}

async fn value(plant: &Service, path: &str) -> Json {
    let answer = plant.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.json()["value"].take()
}

/// The values of one property of a list.
async fn each(plant: &Service, path: &str, name: &str) -> Vec<Json> {
    let records = value(plant, path).await;
    let records = records.as_array().expect("records").iter();
    records.map(|record| record[name].clone()).collect()
}

#[tokio::test]
async fn a_datasource_has_its_description_and_number_of_values() {
    let plant = plant().await;
    let expected = json!({
        "id": 1, "title": "Scrap", "description": null, "objectSource": null, "unitOfTime": "Shift",
        "primaryInputSource": null, "valueCount": 8,
    });
    let all = value(&plant, "/v2/datasources").await;
    assert_eq!(all[0], expected);
    assert_eq!(all[1]["valueCount"], 1);
    let one = plant.get("/v2/datasources/1").await;
    assert_eq!(one.json(), expected);
    let filtered = each(
        &plant,
        "/v2/datasources?$filter=values/any(v:v/value gt 50)",
        "id",
    )
    .await;
    assert_eq!(filtered, [2]);
    let expanded = "/v2/datasources/1?$select=id&$expand=values($select=id;$top=2)";
    assert_eq!(
        plant.get(expanded).await.json(),
        json!({"id": 1, "values": [{"id": 30}, {"id": 31}]})
    );
}

#[tokio::test]
async fn values_are_ordered_by_date_and_id() {
    let plant = plant().await;
    for path in [
        "/v2/datasources/1/values",
        "/v2/datasources(1)/values",
        "/v2/Datasources/1/values",
    ] {
        let ids = each(&plant, path, "id").await;
        assert_eq!(ids, [30, 31, 22, 23, 12, 13, 14, 15], "{path}");
    }
    let ordered = each(
        &plant,
        "/v2/datasources/1/values?$orderby=value desc&$top=2",
        "id",
    )
    .await;
    assert_eq!(ordered, [13, 12]);
    let first = value(&plant, "/v2/datasources/1/values?$top=1").await;
    assert_eq!(
        first,
        json!([{
            "id": 30, "dataSourceId": 1, "registrationDate": "1970-01-01T00:00:00.0000001Z", "areaId": null,
            "assetId": null, "projectId": null, "value": 2.5, "description": null, "dimension": "late",
            "dimension2": null, "dimension3": null, "dimension4": null, "valueDate": "2024-02-29T00:00:00Z",
            "externalId": null,
        }])
    );
    assert_eq!(
        plant.get("/v2/datasources/1/values/$count").await.text(),
        "8"
    );
    plant
        .get("/v2/datasources/3/values")
        .await
        .is_problem(404, "not_found");
    plant
        .get("/v2/datasources/x/values")
        .await
        .is_problem(400, "path.invalid");
    for path in [
        "/v2/datasources?$search=scrap",
        "/v2/datasources/1/values?$search=early",
    ] {
        plant.get(path).await.is_problem(400, "odata.option");
    }
}

#[tokio::test]
async fn pages_follow_the_order_also_past_a_value_that_was_deleted() {
    let plant = plant().await;
    let mut found = Vec::new();
    let mut path = "/v2/datasources/1/values?$select=id&$count=true".to_owned();
    loop {
        let answer = get(&plant, &path, ("prefer", "odata.maxpagesize=3")).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let page = answer.json();
        assert_eq!(page["@odata.count"], 8 - u64::from(!found.is_empty()));
        for record in page["value"].as_array().expect("records") {
            found.push(record["id"].clone());
        }
        if found.len() == 3 {
            // The last value of the first page: the next one begins after its place.
            write(&plant, "DELETE FROM datasource_values WHERE id = 22").await;
        }
        match page["@odata.nextLink"].as_str() {
            Some(link) => path = link[link.find("/v2").expect("a path")..].to_owned(),
            None => break,
        }
    }
    assert_eq!(found, [30, 31, 22, 23, 12, 13, 14, 15]);
}

#[tokio::test]
async fn values_are_grouped_in_the_service() {
    let plant = plant().await;
    let by_shift = "/v2/datasources/1/values?$apply=groupby((dimension),aggregate(value with sum as s,value with average as mean,value with min as least,value with max as most,$count as n))";
    assert_eq!(
        value(&plant, by_shift).await,
        json!([
            {"dimension": null, "s": 16.0, "mean": 16.0, "least": 16.0, "most": 16.0, "n": 1},
            {"dimension": "early", "s": 5.75, "mean": 5.75 / 3.0, "least": 0.25, "most": 4.0, "n": 4},
            {"dimension": "late", "s": -21.5, "mean": -21.5 / 3.0, "least": -32.0, "most": 8.0, "n": 3},
        ])
    );
    let by_day = "/v2/datasources/1/values?$apply=filter(value ne null)/compute(date(valueDate) as d)/groupby((d),aggregate($count as n,valueDate with max as last))";
    assert_eq!(
        value(&plant, by_day).await,
        json!([
            {"d": "2024-02-29", "n": 3, "last": "2024-02-29T01:00:00Z"},
            {"d": "2024-03-01", "n": 4, "last": "2024-03-01T02:00:00.0000001Z"},
        ])
    );
    let total = "/v2/datasources/2/values?$apply=aggregate(value with sum as s)";
    assert_eq!(value(&plant, total).await, json!([{"s": 99.0}]));
    let none = "/v2/datasources/1/values?$filter=s gt 100&$apply=groupby((dimension),aggregate(value with sum as s))";
    assert_eq!(value(&plant, none).await, json!([]));
    let over = "/v2/datasources?$apply=groupby((unitOfTime),aggregate(valueCount with sum as n))";
    assert_eq!(
        value(&plant, over).await,
        json!([{"unitOfTime": null, "n": 1}, {"unitOfTime": "Shift", "n": 8}])
    );
}

#[tokio::test]
async fn the_context_names_values_below_their_datasource() {
    let plant = plant().await;
    for path in [
        "/v2/datasources/1/values?$select=id",
        "/v2/datasources(1)/values?$select=id",
    ] {
        let answer = get(
            &plant,
            path,
            ("accept", "application/json;odata.metadata=minimal"),
        )
        .await;
        let context = answer.json()["@odata.context"].clone();
        let context = context.as_str().expect("a context");
        assert!(
            context.ends_with("/v2/$metadata#datasources(1)/values(id)"),
            "{context}"
        );
    }
}
