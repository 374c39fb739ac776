//! A parameter that is absent has its default: the answer is the same as with it, and another without.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{Location, Place, places};
use crate::contract::plant;
use crate::contract::schema::operations;
use crate::support::Service;

/// More records than a page has by default, so that another size gives another page.
const MORE: i64 = 1_002;

#[tokio::test]
async fn an_absent_parameter_has_its_default() {
    let folder = tempfile::tempdir().expect("a folder");
    grown(folder.path());
    let service = plant::served_from(folder.path(), plant::NOW).await;
    let mut compared = 0;
    for operation in operations() {
        let address = operation.example_address();
        // That of a write is not repeated here: `users.rs` shows what it does without the parameter.
        if operation.method != "GET" {
            continue;
        }
        for Place {
            schema, location, ..
        } in places(operation)
        {
            let (Some(default), Location::Query(name)) = (schema.get("default"), location) else {
                continue;
            };
            let separator = if address.contains('?') { '&' } else { '?' };
            let with = |value: &Value| format!("{address}{separator}{name}={value}");
            let other = match default {
                Value::Bool(default) => json!(!default),
                default => json!(default.as_i64().expect("a number") + 1),
            };
            let absent = answered(&service, &address).await;
            let what = format!("{} {name}", operation.id);
            // Not `assert_eq!`: a failure would print a thousand records.
            assert!(absent == answered(&service, &with(default)).await, "{what}");
            // A single record has no page and no count.
            if absent["value"].is_array() || absent["values"].is_array() {
                assert!(absent != answered(&service, &with(&other)).await, "{what}");
                compared += 1;
            }
        }
    }
    assert!(compared > 10, "{compared}");
}

async fn answered(service: &Service, address: &str) -> Value {
    let answer = service.get(address).await;
    assert_eq!(answer.status, 200, "{address}: {}", answer.text());
    let mut answer = answer.json();
    if let Some(members) = answer.as_object_mut() {
        // It repeats the parameters of the request.
        members.remove("@odata.nextLink");
    }
    answer
}

/// The plant with more of each record that has numbered pages.
fn grown(folder: &Path) {
    for entry in fs::read_dir(plant::folder()).expect("the plant") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name");
        let mut text = fs::read_to_string(&path).expect("UTF-8");
        if [
            "incidents.jsonl",
            "improvements.jsonl",
            "datasource_values.jsonl",
            "tasks.jsonl",
        ]
        .iter()
        .any(|grown| name == *grown)
        {
            let first = text.lines().next().expect("a record");
            let first: Value = serde_json::from_str(first).expect("JSON");
            for number in 0..MORE {
                let mut record = first.clone();
                record["id"] = json!(1_000_000 + number);
                text.push_str(&format!("{record}\n"));
            }
        }
        fs::write(folder.join(name), text).expect("a copy");
    }
}
