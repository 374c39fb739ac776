//! The fixture of `semantic_cases.json` in a database, written through the store: a small plant in which
//! tests know every row.

use std::path::PathBuf;

use obeya::Client;
use obeya_model::{Date, Timestamp};
use obeya_server::Config;
use obeya_server::store::engine::{Session, StoreError, Value};
use serde_json::Value as Json;

use crate::support::{Answer, Service, sql};

/// Where the incidents of the fixture are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Incidents {
    /// In use.
    Live,
    /// In the trash since this instant.
    Deleted(Timestamp),
}

/// The cases and their fixture.
pub fn cases() -> Json {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../odata/tests/data/semantic_cases.json");
    let text = std::fs::read_to_string(path).expect("the cases lie with the odata crate");
    serde_json::from_str(&text).expect("the cases are JSON")
}

/// The service on the fixture.
pub struct Plant {
    service: Service,
}

impl Plant {
    /// With its incidents in use.
    pub async fn new() -> Self {
        Self::with(Incidents::Live, |_| ()).await
    }

    /// With its incidents where they are wanted, and some settings changed.
    pub async fn with(incidents: Incidents, change: impl FnOnce(&mut Config)) -> Self {
        let service = Service::start_with(change).await;
        let fixture = cases()["fixture"].take();
        service
            .store()
            .write(move |session| fill(session, &fixture, incidents))
            .await
            .expect("the fixture fits the schema");
        Self { service }
    }

    /// Changes rows, for tests that need more than the fixture.
    pub async fn change(&self, statements: &'static [&'static str]) {
        let ran = self.service.store().write(move |session| {
            statements
                .iter()
                .try_for_each(|sql| session.execute(sql, &[]).map(drop))
        });
        ran.await.expect("the statements fit the schema");
    }

    /// The service itself.
    pub fn service(&self) -> &Service {
        &self.service
    }

    pub fn base_url(&self) -> &str {
        self.service.running.base_url()
    }

    /// A client of the SDK.
    pub fn client(&self) -> Client {
        Client::builder()
            .base_url(self.base_url())
            .token(self.service.token())
            .build()
            .expect("the settings are sound")
    }

    /// The answer to a path with a query.
    pub async fn get(&self, path: &str) -> Answer {
        self.service.get(path).await
    }

    /// The answer to a URL from another answer.
    pub async fn get_url(&self, url: &str) -> Answer {
        self.get(
            url.strip_prefix(self.base_url())
                .expect("an address of this service"),
        )
        .await
    }

    /// The ids of a v2 list.
    pub async fn ids(&self, path: &str) -> Vec<i64> {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        ids(&answer.json()["value"])
    }
}

/// The ids of an array of records.
pub fn ids(records: &Json) -> Vec<i64> {
    records
        .as_array()
        .expect("an array of records")
        .iter()
        .map(|record| record["id"].as_i64().expect("an id"))
        .collect()
}

/// Writes the fixture.
pub fn fill(
    session: &mut dyn Session,
    fixture: &Json,
    incidents: Incidents,
) -> Result<(), StoreError> {
    for sql in [
        "INSERT INTO incident_types (id, title) VALUES (1, 'Safety')",
        "INSERT INTO projects (id, name, project_number) VALUES (10, 'Ten', '10'), (77, 'Lean 2025', '77')",
        "INSERT INTO datasources (id, title) VALUES (1, 'Output'), (2, 'Scrap'), (3, 'Empty')",
        "INSERT INTO users (id, user_name, display_name) VALUES ('3f2504e0-4f89-11d3-9a0c-0305e82c3301', 'kari', 'Kari Nordmann'),
         ('u2', 'ola', 'Ola'), ('u3', 'per', 'Per'), ('u4', 'anne', 'Anne-Lise')",
    ] {
        session.execute(sql, &[])?;
    }
    session.execute(
        "INSERT INTO tasks (id, title, status, responsible_user_id, tags, last_modified) VALUES (1, 'Clamp', 'Blocked', 'u2', '[\"5S\"]', 10)",
        &[],
    )?;
    session.execute(
        "INSERT INTO task_comments (id, task_id, text, comment_date, commented_by_user_id) VALUES (1, 1, 'Ordered', 10, 'u2')",
        &[],
    )?;
    session.execute(
        "INSERT INTO attachments (id, task_id, file_id, name, file_extension, content_type, file_size_in_bytes, sha256, created_date)
            VALUES (1, 1, 'f-1', 'note', 'txt', 'text/plain', 2, '8f43', 10)",
        &[],
    )?;
    sql::put_words(session, "incident_types_search", 1, "safety")?;
    let rows = |name: &str| {
        fixture[name]
            .as_array()
            .expect("an array of records")
            .iter()
    };
    for area in rows("areas") {
        insert(session, "areas", area, &[])?;
        index(session, "areas_search", area, &["name", "description"])?;
    }
    for group in rows("groups") {
        insert(session, "groups", group, &[])?;
        index(session, "groups_search", group, &["name", "description"])?;
    }
    for board in rows("boards") {
        insert(session, "boards", board, &[])?;
        index(session, "boards_search", board, &["name"])?;
    }
    session.execute(
        "INSERT INTO group_members (group_id, user_id) VALUES (2, 'u2'), (2, 'u3'), (3, 'u2')",
        &[],
    )?;
    let deleted = match incidents {
        Incidents::Live => Value::Null,
        Incidents::Deleted(since) => Value::Int(since.ticks()),
    };
    for incident in rows("incidents") {
        let reported = Value::Int(
            "2024-01-01T06:00:00Z"
                .parse::<Timestamp>()
                .expect("a timestamp")
                .ticks(),
        );
        let more = [
            ("incident_type_id", Value::Int(1)),
            ("reported_by_user_id", Value::Text("u3")),
            ("reported_date", reported),
            ("last_modified", reported),
            ("deleted_date", deleted),
        ];
        insert(session, "incidents", incident, &more)?;
        index(session, "incidents_search", incident, &["title", "text"])?;
    }
    for comment in rows("incidentComments") {
        insert(session, "incident_comments", comment, &[])?;
        index(
            session,
            "comments_search",
            comment,
            &["text", "commentedBy"],
        )?;
    }
    for value in rows("datasourceValues") {
        insert(session, "datasource_values", value, &[])?;
    }
    session.execute("UPDATE datasources SET value_count = (SELECT count(*) FROM datasource_values AS v WHERE v.datasource_id = datasources.id)", &[])?;
    Ok(())
}

/// Inserts a record of the wire: each property into the column of its name, and `more` columns.
fn insert(
    session: &mut dyn Session,
    table: &str,
    record: &Json,
    more: &[(&str, Value<'_>)],
) -> Result<(), StoreError> {
    let known = sql::columns(session, table)?;
    let record = record.as_object().expect("a record");
    let mut columns: Vec<(String, Value<'_>)> = record
        .iter()
        .map(|(name, value)| (column(name), stored(name, value)))
        .collect();
    columns.retain(|(column, _)| known.contains(column));
    columns.extend(
        more.iter()
            .map(|(column, value)| ((*column).to_owned(), *value)),
    );
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let places: Vec<String> = (1..=columns.len())
        .map(|place| format!("?{place}"))
        .collect();
    let values: Vec<Value<'_>> = columns.iter().map(|(_, value)| *value).collect();
    let sql = format!(
        "INSERT INTO {table} ({}) VALUES ({})",
        names.join(", "),
        places.join(", ")
    );
    session.execute(&sql, &values).map(drop)
}

fn index(
    session: &mut dyn Session,
    table: &str,
    record: &Json,
    properties: &[&str],
) -> Result<(), StoreError> {
    let texts: Vec<&str> = properties
        .iter()
        .filter_map(|name| record[*name].as_str())
        .collect();
    let document = obeya_odata::search::document(&texts.join(" "));
    let id = record["id"].as_i64().expect("an id");
    sql::put_words(session, table, id, &document)
}

/// `isSystemGroup` → `is_system_group`.
fn column(name: &str) -> String {
    if name == "dataSourceId" {
        return "datasource_id".to_owned();
    }
    let mut column = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            column.push('_');
        }
        column.push(letter.to_ascii_lowercase());
    }
    column
}

fn stored<'a>(name: &str, value: &'a Json) -> Value<'a> {
    match value {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::from(*value),
        Json::Number(number) if name == "value" => Value::Real(number.as_f64().expect("a double")),
        Json::Number(number) => Value::Int(number.as_i64().expect("an integer")),
        Json::String(text) if name == "incidentDate" => {
            Value::Int(text.parse::<Date>().expect("a date").days().into())
        }
        Json::String(text) if name.ends_with("Date") => {
            Value::Int(text.parse::<Timestamp>().expect("a timestamp").ticks())
        }
        Json::String(text) => Value::Text(text),
        Json::Array(_) | Json::Object(_) => unreachable!("the fixture's records are flat"),
    }
}
