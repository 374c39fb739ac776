//! The service's records, from its JSON responses, in the form in which copies are compared.

use std::collections::BTreeMap;

use obeya::model::Timestamp;
use obeya::{Client, Paged};
use serde::Serialize;
use serde_json::Value;

/// Tables by name; rows by their key, as JSON; columns by name.
pub type Tables = BTreeMap<String, BTreeMap<Vec<String>, BTreeMap<String, String>>>;

/// The columns of custom fields, by their ids.
pub type Fields<'a> = &'a [(i64, &'a str)];

/// The fields of the plant, and the columns they get: one has a column's name, two have one label.
pub const FIELDS: Fields<'static> = &[
    (61, "order_number"),
    (62, "machine_no"),
    (63, "order_number_63"),
    (65, "status_65"),
];

/// Everything that the copy should have.
pub async fn tables(client: &Client, fields: Fields<'_>) -> Tables {
    let mut tables = Tables::new();
    let datasources = [12, 13, 14];
    for incident in wires(client.incidents().list().stream()).await {
        let parts = [
            ("consequences", "incident_consequences", "consequence_id"),
            ("categories", "incident_categories", "category_id"),
            ("causes", "incident_causes", "cause_id"),
            ("customFields", "incident_custom_fields", "custom_field_id"),
        ];
        for (name, table, id) in parts {
            for part in incident[name].as_array().expect("a list") {
                let mut columns = columns(part);
                let own = columns.remove("id").expect("an id");
                columns.insert(id.to_owned(), own);
                columns.insert("incident_id".to_owned(), incident["id"].to_string());
                let key = vec![incident["id"].to_string(), part["id"].to_string()];
                put(&mut tables, table, key, columns);
            }
        }
        let mut own = columns(&incident);
        for (id, column) in fields {
            let parts = incident["customFields"].as_array().expect("a list");
            let field = parts.iter().find(|part| number(&part["id"]) == *id);
            let value = field.map_or(Value::Null, |field| match &field["dataListValue"] {
                Value::Null => field["value"].clone(),
                words => words.clone(),
            });
            own.insert((*column).to_owned(), canonical(column, &value));
        }
        put(
            &mut tables,
            "incidents",
            vec![incident["id"].to_string()],
            own,
        );
    }
    parts_of_lists(client, &mut tables).await;
    let alone = [
        (
            "improvements",
            wires(client.improvements().list().stream()).await,
        ),
        ("comments", wires(client.comments().list().stream()).await),
        ("areas", wires(client.areas().list().stream()).await),
        ("groups", wires(client.groups().list().stream()).await),
        ("boards", wires(client.boards().list().stream()).await),
        ("users", wires(client.users().list().stream()).await),
        ("tasks", wires(client.tasks().list().stream()).await),
        (
            "task_comments",
            wires(client.tasks().comments().stream()).await,
        ),
    ];
    let arrays = [
        (
            "incident_types",
            json(&client.incidents().types().await.expect("types")),
        ),
        (
            "datasources",
            json(&client.datasources().list().await.expect("datasources")),
        ),
        (
            "projects",
            json(&client.projects().list().await.expect("projects")),
        ),
        (
            "data_lists",
            json(&client.data_lists().list().await.expect("data lists")),
        ),
    ];
    for (table, records) in alone.into_iter().chain(arrays) {
        for record in records {
            put(
                &mut tables,
                table,
                vec![record["id"].to_string()],
                columns(&record),
            );
        }
    }
    for id in datasources {
        for value in wires(client.datasources().values(id).stream()).await {
            let key = vec![value["id"].to_string()];
            put(&mut tables, "datasource_values", key, columns(&value));
        }
    }
    tables
}

/// What belongs to data lists, users and tasks.
async fn parts_of_lists(client: &Client, tables: &mut Tables) {
    for list in client.data_lists().list().await.expect("data lists") {
        let items = client.data_lists().items(list.id).await.expect("items");
        for item in json(&items) {
            let mut row = columns(&item);
            let own = row.remove("id").expect("an id");
            row.insert("item_id".to_owned(), own);
            row.insert("data_list_id".to_owned(), list.id.to_string());
            let key = vec![list.id.to_string(), item["id"].to_string()];
            put(tables, "data_list_items", key, row);
        }
    }
    for user in wires(client.users().list().expand("groups").stream()).await {
        for group in user["groups"].as_array().expect("a list") {
            let key = vec![user["id"].to_string(), group["groupId"].to_string()];
            put(tables, "user_groups", key, columns(group));
        }
    }
    for task in wires(client.tasks().list().expand("attachments").stream()).await {
        let id = task["id"].to_string();
        for (number, tag) in (1..).zip(task["tags"].as_array().expect("a list")) {
            let row = [
                ("task_id", id.clone()),
                ("sort_order", i32::to_string(&number)),
                ("tag", canonical("tag", tag)),
            ];
            let row = row.map(|(name, value)| (name.to_owned(), value));
            let key = vec![id.clone(), number.to_string()];
            put(tables, "task_tags", key, row.into());
        }
        for attachment in task["attachments"].as_array().expect("a list") {
            let mut row = columns(attachment);
            let own = row.remove("id").expect("an id");
            row.insert("attachment_id".to_owned(), own);
            row.insert("task_id".to_owned(), id.clone());
            let key = vec![id.clone(), attachment["id"].to_string()];
            put(tables, "task_attachments", key, row);
        }
    }
}

/// A value in one form, whatever it came from.
pub fn canonical(column: &str, value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) if column.starts_with("is_") || column == "has_preview" => {
            (number.as_f64() == Some(1.0)).to_string()
        }
        Value::Number(number) => number.as_f64().expect("a double").to_string(),
        Value::String(text) if is_instant(column) => {
            let instant: Timestamp = text
                .parse()
                .unwrap_or_else(|error| panic!("{column} {text}: {error}"));
            // As fine as the coarsest of the targets.
            format!("{} us", instant.ticks().div_euclid(10))
        }
        Value::String(text) => format!("`{text}`"),
        other => panic!("{column}: {other}"),
    }
}

fn is_instant(column: &str) -> bool {
    (column.ends_with("_date") && column != "incident_date") || column == "last_modified"
}

async fn wires<T: Serialize + Send + 'static>(records: Paged<T>) -> Vec<Value> {
    json(&records.all().await.expect("read"))
}

fn json<T: Serialize>(records: &[T]) -> Vec<Value> {
    let wire = |record| serde_json::to_value(record).expect("JSON");
    records.iter().map(wire).collect()
}

fn put(tables: &mut Tables, table: &str, key: Vec<String>, row: BTreeMap<String, String>) {
    let shown = format!("{table} has {key:?} twice");
    let before = tables.entry(table.to_owned()).or_default().insert(key, row);
    assert_eq!(before, None, "{shown}");
}

fn number(value: &Value) -> i64 {
    value.as_i64().expect("an id")
}

/// The properties that are no lists and no records.
fn columns(record: &Value) -> BTreeMap<String, String> {
    let properties = record.as_object().expect("a record").iter();
    properties
        .filter(|(_, value)| !value.is_array() && !value.is_object())
        .map(|(name, value)| {
            let name = column(name);
            let value = canonical(&name, value);
            (name, value)
        })
        .collect()
}

fn column(property: &str) -> String {
    match property {
        "group" => "group_name".to_owned(),
        "dataSourceId" => "datasource_id".to_owned(),
        _ => property
            .chars()
            .flat_map(|letter| {
                let before = letter.is_ascii_uppercase().then_some('_');
                before
                    .into_iter()
                    .chain(std::iter::once(letter.to_ascii_lowercase()))
            })
            .collect(),
    }
}
