//! A record has the same bytes wherever it is shown: in a list, alone, and as the answer to a write.

use reqwest::Method;
use serde_json::{Value, json};

use crate::etags::send;
use crate::incidents_plant::{least, plant, with};
use crate::support::{Answer, Service};
use crate::values_written;

/// Doubles whose shortest form has an exponent, or that have none of a usual number.
const NUMBERS: [f64; 14] = [
    1e16,
    -1e16,
    1e-7,
    1.5e-5,
    1e21,
    1e300,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    1e15,
    123_456_789_012_345_680.0,
    0.1 + 0.2,
    -0.0,
    12.25,
];

/// Texts with characters that JSON escapes, that are no ASCII, or that some writers escape without need.
const TEXTS: [&str; 5] = [
    "say \"oil\" in C:\\plant",
    "a\nb\rc\td\u{8}e\u{c}f\u{1}\u{1f}\u{7f}",
    "</script>\u{2028}\u{2029}/",
    "Åpent lager 🏭 \u{10ffff}\u{fffd}",
    "e\u{301}\u{200d}\u{feff}",
];

/// The records of a page.
fn listed(page: &Answer) -> String {
    assert_eq!(page.status, 200, "{}", page.text());
    let text = page.text();
    let (_, values) = text.split_once("\"values\":[").expect("values");
    values.strip_suffix("]}").expect("the end").to_owned()
}

/// The answer to a write is the record as it is read alone and in the list.
async fn has_one_form(service: &Service, written: &Answer, path: &str) {
    assert_eq!(written.status, 200, "{path}: {}", written.text());
    let id = written.json()["id"].as_i64().expect("an id");
    let alone = service.get(&format!("{path}/{id}")).await;
    assert_eq!(written.text(), alone.text(), "{path}/{id}");
    assert_eq!(written.header("etag"), alone.header("etag"), "{path}/{id}");
    let list = format!("{path}?$filter=id%20eq%20{id}");
    assert_eq!(listed(&service.get(&list).await), alone.text(), "{list}");
}

#[tokio::test]
async fn an_incident_is_written_as_it_is_read_and_listed() {
    let service = plant().await;
    let consequences = "/v1/Incidents/100/consequences";
    // A whole number without a fraction, as a client may send it.
    let body = json!([{"id": 51, "amount": 10_000_000_000_000_000_i64}]);
    let written = service.put(consequences, &body).await;
    assert!(
        written.text().contains("\"amount\":1e16,"),
        "{}",
        written.text()
    );
    has_one_form(&service, &written, "/v1/Incidents").await;
    for amounts in NUMBERS.chunks(2) {
        let body = json!([{"id": 51, "amount": amounts[0]}, {"id": 52, "amount": amounts[1]}]);
        let written = service.put(consequences, &body).await;
        has_one_form(&service, &written, "/v1/Incidents").await;
        // Nothing changes, and the answer is the same.
        let again = service.put(consequences, &body).await;
        assert_eq!(again.body, written.body);
    }
    for text in TEXTS {
        let more = json!({
            "title": text, "text": text, "externalId": text, "status": "Resolved", "evaluationText": text,
            "categories": [{"id": 30}, {"id": 31}, {"id": 33}], "causes": [{"id": 41}, {"id": 42}],
            "customFields": [{"id": 61, "value": text}, {"id": 62, "value": text}],
            "consequences": [{"id": 52, "amount": null}, {"id": 51, "amount": 1e16}],
        });
        let written = service.post("/v1/Incidents", &with(least(), &more)).await;
        has_one_form(&service, &written, "/v1/Incidents").await;
    }
    for (path, body) in [
        ("/v1/Incidents/100/severity", json!({"severity": "High"})),
        ("/v1/Incidents/100/causes", json!([])),
        ("/v1/Incidents/100/externalId", json!(TEXTS[0])),
        (
            "/v1/Incidents/100/customfields/61",
            json!({"value": TEXTS[1]}),
        ),
        ("/v1/Incidents/101/severity", json!({"severity": "High"})),
        ("/v1/Incidents/trash/102/restore", Value::Null),
    ] {
        let written = service.put(path, &body).await;
        has_one_form(&service, &written, "/v1/Incidents").await;
    }
}

#[tokio::test]
async fn an_improvement_is_written_as_it_is_read_and_listed() {
    let service = plant().await;
    for amounts in NUMBERS.chunks(2) {
        let body = json!({"costOfInvestment": amounts[0], "gainOfInvestmentHours": amounts[1]});
        let written = service.put("/v1/Improvements/317", &body).await;
        has_one_form(&service, &written, "/v1/Improvements").await;
    }
    for text in TEXTS {
        let body = json!({"title": text, "text": text, "externalId": text, "suggestedByUserId": "u-104", "groupId": 4});
        let written = service.post("/v1/Improvements", &body).await;
        has_one_form(&service, &written, "/v1/Improvements").await;
    }
}

/// Values are read in pages alone.
#[tokio::test]
async fn a_value_is_written_as_it_is_listed() {
    let service = values_written::plant().await;
    let values = "/v1/Datasources/1/values";
    let is_listed = async |written: &Answer| {
        assert_eq!(written.status, 200, "{}", written.text());
        let id = written.json()["id"].as_i64().expect("an id");
        let list = format!("{values}?$filter=id%20eq%20{id}");
        assert_eq!(listed(&service.get(&list).await), written.text());
        id
    };
    for (at, number) in NUMBERS.into_iter().enumerate() {
        let text = TEXTS[at % TEXTS.len()];
        let body = json!({
            "value": number, "valueDate": "2025-06-01T10:00:00.1234567+02:00", "areaId": 2, "assetId": -5,
            "description": text, "dimension": text, "dimension3": "", "dimension4": text, "externalId": text,
        });
        let added = service.post(values, &body).await;
        let id = is_listed(&added).await;
        let path = format!("{values}/{id}");
        // Nothing changes: it is not registered anew.
        let same = service.put(&path, &body).await;
        assert_eq!(same.body, added.body);
        assert_eq!(same.header("etag"), added.header("etag"));
        let body = with(body, &json!({"value": number / 3.0, "dimension2": text}));
        let changed = service.put(&path, &body).await;
        is_listed(&changed).await;
        assert_ne!(changed.body, added.body);
        // The tag is good for the next write.
        let headers = [("if-match", changed.header("etag"))];
        let deleted = send(&service, (Method::DELETE, &path), &headers, None).await;
        assert_eq!(deleted.status, 200, "{}", deleted.text());
    }
}
