//! Values that are written over HTTP: one at a time, many at a time, and a period at a time.

mod batches;
mod elements;
mod pages;
mod single;

use obeya_server::store::engine::{Session, StoreError};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Service, sql};

/// The start of the clock in wire format, and the stamps after it: the clock is stopped, so each is one tick
/// later.
pub const STAMPS: [&str; 4] = [
    "2025-06-02T08:00:00Z",
    "2025-06-02T08:00:00.0000001Z",
    "2025-06-02T08:00:00.0000002Z",
    "2025-06-02T08:00:00.0000003Z",
];

const VALUES: &str = "/v1/Datasources/1/values";

const ROWS: &[&str] = &[
    "INSERT INTO users (id, user_name, display_name) VALUES ('u-104', 'ingrid', 'Ingrid')",
    "INSERT INTO projects (id, name, project_number) VALUES (8, 'New line', '8')",
    "INSERT INTO areas (id, name) VALUES (2, 'Press hall'), (3, 'Assembly')",
    "INSERT INTO boards (id, name) VALUES (7, 'Daily')",
    "INSERT INTO datasources (id, title) VALUES (1, 'Output'), (2, 'Scrap'), (3, 'Everything')",
    "INSERT INTO datasource_elements (datasource_id, id, label, type, is_mandatory, source_column, sort_order, number) VALUES
        (2, 'shift', 'Shift', 'text', 1, 'dimension', 1, 1), (2, 'count', 'Count', 'number', 0, 'dimension2', 2, 2), (2, 'area', NULL, 'area', 0, NULL, 3, 3),
        (3, 'a', NULL, 'area', 0, 'dimension', 1, 1), (3, 'b', NULL, 'bool', 0, 'dimension2', 2, 2), (3, 'c', NULL, 'board', 0, 'dimension3', 3, 3),
        (3, 'd', NULL, 'user', 0, 'dimension4', 4, 4), (3, 'e', NULL, 'project', 0, NULL, 5, 5), (3, 'f', NULL, 'list', 0, 'externalId', 6, 6),
        (3, 'g', NULL, 'text', 1, 'noSuchColumn', 7, 7), (3, 'h', NULL, 'text', 1, NULL, 8, 8)",
];

pub fn fill(session: &mut dyn Session) -> Result<(), StoreError> {
    ROWS.iter()
        .try_for_each(|sql| session.execute(sql, &[]).map(drop))
}

pub async fn plant() -> Service {
    let service = Service::start().await;
    service.store().write(fill).await.expect("the rows fit");
    service
}

/// The least that is a value.
pub fn value(figure: impl Into<Value>, date: &str) -> Value {
    json!({"value": figure.into(), "valueDate": date})
}

/// With these properties too.
pub fn with(mut value: Value, more: Value) -> Value {
    let Value::Object(more) = more else {
        panic!("{more} has no properties");
    };
    value.as_object_mut().expect("a value").extend(more);
    value
}

async fn delete(service: &Service, path: &str) -> Answer {
    Answer::of(service.request(Method::DELETE, path)).await
}

async fn delete_with(service: &Service, path: &str, body: &Value) -> Answer {
    Answer::of(service.request(Method::DELETE, path).json(body)).await
}

/// Adds values and returns how many.
async fn add(service: &Service, path: &str, values: &[Value]) -> i64 {
    let added = service.post(&format!("{path}/batch"), &json!(values)).await;
    assert_eq!(added.status, 200, "{}", added.text());
    added.json()["total"].as_i64().expect("a total")
}

/// The count of a page, and its values by id and figure.
async fn page(service: &Service, query: &str) -> (i64, Vec<(i64, f64)>) {
    let answer = service.get(&format!("{VALUES}{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let body = answer.json();
    let values = body["values"].as_array().expect("values").iter();
    let values = values.map(|value| {
        (
            value["id"].as_i64().expect("an id"),
            value["value"].as_f64().expect("a number"),
        )
    });
    (body["count"].as_i64().expect("a count"), values.collect())
}

/// Everything that a refused write must leave as it was.
pub async fn everything(service: &Service) -> String {
    let dumped = service.store().read(|session| {
        let tables = ["datasources", "datasource_values", "counters", "stamps"];
        let tables = tables.iter().map(|table| sql::dump(session, table));
        tables.collect::<Result<String, StoreError>>()
    });
    dumped.await.expect("the tables")
}
