//! A small plant for incidents, and a check that nothing in the store has changed.

use obeya_server::store::engine::{Session, StoreError};
use serde_json::{Value, json};

use crate::support::{Answer, Service, sql};

/// The clock's start as the wire writes it.
pub const NOW: &str = "2025-06-02T08:00:00Z";

/// Two groups with members, two incident types, an incident in use (100), an anonymous one (101) and one in
/// the trash (102).
const ROWS: &[&str] = &[
    "INSERT INTO users (id, user_name, display_name) VALUES ('u-104', 'ingrid.solheim', 'Ingrid Solheim'), ('u-117', 'tomas.berg', 'Tomas Berg')",
    "INSERT INTO projects (id, name, project_number) VALUES (8, 'New line', '8')",
    "INSERT INTO areas (id, name) VALUES (2, 'Press hall')",
    "INSERT INTO groups (id, type, name) VALUES (4, 'GENERAL', 'Assembly team'), (5, 'GENERAL', 'Night shift')",
    "INSERT INTO group_members (group_id, user_id) VALUES (4, 'u-104'), (5, 'u-117')",
    "INSERT INTO data_lists (id, name) VALUES (9, 'Machines')",
    "INSERT INTO incident_types (id, title, description) VALUES (3, 'Quality deviation', 'Not as it should be'), (6, 'Near miss', NULL)",
    "INSERT INTO type_categories (id, incident_type_id, parent_id, title, description, sort_order) VALUES
        (30, 3, NULL, 'Origin', 'Where it arose', 2), (31, 3, 30, 'Own process', NULL, 2), (32, 3, 30, 'Supplier', NULL, 1),
        (33, 3, NULL, 'Severity', NULL, 1), (60, 6, NULL, 'Falling object', NULL, 1)",
    "INSERT INTO type_consequences (id, incident_type_id, title, unit) VALUES
        (51, 3, 'Scrapped parts', 'pcs'), (52, 3, 'Downtime', 'min'), (53, 6, 'Sick leave', 'days')",
    "INSERT INTO type_causes (id, incident_type_id, title, description, sort_order) VALUES
        (41, 3, 'Worn fixture', 'Beyond its service life', 2), (42, 3, 'Wrong setting', NULL, 1), (43, 6, 'Haste', NULL, 1)",
    "INSERT INTO type_custom_fields (id, incident_type_id, label, type, sort_order, data_list_id, is_mandatory) VALUES
        (61, 3, 'Order number', 'text', 1, NULL, 0), (62, 3, 'Machine', 'list', 2, 9, 1), (63, 6, 'Height', 'number', 1, NULL, 0)",
    "INSERT INTO incidents (id, incident_type_id, reported_by_user_id, reported_by, reported_date, status, severity, title, incident_date, is_anonymous,
            last_modified, deleted_date, due_date, external_id)
        VALUES (100, 3, 'u-117', NULL, 10, 'New', 'Low', 'Crack', 20000, 0, 10, NULL, 70, 'c7'),
               (101, 3, 'u-117', 'Tomas', 10, 'New', 'Low', 'Theft', 20000, 1, 10, NULL, NULL, NULL),
               (102, 3, 'u-117', NULL, 10, 'New', 'Low', 'Gone', 20000, 0, 10, 17488000000000000, NULL, NULL)",
    "INSERT INTO incident_categories (incident_id, category_id) VALUES (100, 31), (102, 31)",
    "INSERT INTO incident_consequences (incident_id, consequence_id, amount) VALUES (100, 51, 14.0)",
    "INSERT INTO incident_causes (incident_id, cause_id) VALUES (100, 41)",
    "INSERT INTO incident_comments (id, incident_id, text, comment_date, commented_by_user_id) VALUES (1, 100, 'Seen', 20, 'u-104'), (2, 100, 'Known', 30, NULL)",
    "INSERT INTO improvement_categories (id, title) VALUES (12, 'Quality')",
    "INSERT INTO improvements (id, status, title, group_id, suggested_by_user_id, suggestion_date, planned_date, last_modified, last_modified_by_user_id,
            cost_of_investment, due_date, like_count)
        VALUES (317, 'Planned', 'Second clamp', 4, 'u-117', 17480000000000000, 17481000000000000, 10, 'u-117', 4200.0, 70, 5),
               (318, 'Archived', 'Old idea', NULL, NULL, 17480000000000000, NULL, 10, NULL, NULL, NULL, 0),
               (319, 'Open', 'Loose end', NULL, NULL, NULL, NULL, 10, NULL, NULL, NULL, 0)",
    "INSERT INTO boards (id, name, description, board_type, is_public, group_id) VALUES
        (7, 'Assembly daily', 'Where the team meets', 'Weekly', 1, 4), (8, NULL, NULL, NULL, 0, NULL)",
    "INSERT INTO board_lines (board_id, axis, id, name, week_day, is_column_category, style, sort_order, responsible_user_id) VALUES
        (7, 'row', 71, 'Delivery', NULL, 0, NULL, 2, NULL), (7, 'row', 70, 'Safety', NULL, 0, NULL, 1, 'u-104'),
        (7, 'row', 69, 'Unplaced', NULL, 0, NULL, NULL, NULL), (7, 'column', 75, 'Monday', 'Monday', 1, 'background: #eef', 1, NULL)",
    "INSERT INTO type_translations (incident_type_id, language, kind, item_id, title, description) VALUES
        (3, 'nb', 'type', 3, 'Kvalitetsavvik', 'Ikke som det skal'), (3, 'nb', 'category', 31, 'Egen prosess', NULL),
        (3, 'nb', 'consequence', 51, 'Vraket', NULL), (3, 'nb', 'cause', 41, 'Slitt fikstur', 'Utslitt'), (3, 'nb', 'custom_field', 61, 'Ordrenummer', NULL),
        (3, 'nb-no', 'type', 3, 'Kvalitetsavvik (bokmål)', NULL), (3, 'sv', 'type', 3, 'Kvalitetsavvikelse', NULL)",
];

/// The search terms of incidents and comments.
const WORDS: [(&str, i64, &str); 5] = [
    ("incidents_search", 100, "crack"),
    ("incidents_search", 101, "theft"),
    ("incidents_search", 102, "gone"),
    ("comments_search", 1, "seen"),
    ("comments_search", 2, "known"),
];

/// The service on the plant.
pub async fn plant() -> Service {
    let service = Service::start().await;
    let filled = service.store().write(fill).await;
    filled.expect("the rows fit the schema");
    service
}

/// Writes the plant.
pub fn fill(session: &mut dyn Session) -> Result<(), StoreError> {
    for sql in ROWS {
        session.execute(sql, &[])?;
    }
    for (index, id, words) in WORDS {
        sql::put_words(session, index, id, words)?;
    }
    Ok(())
}

/// A body that creates an incident, with only the required properties.
pub fn least() -> Value {
    json!({"incidentTypeId": 3, "severity": "Medium", "title": "Housing cracked", "incidentDate": "2025-06-01", "categories": [{"id": 31}]})
}

/// A body that updates one, with only the required properties.
pub fn least_update() -> Value {
    json!({"incidentTypeId": 3, "severity": "Low", "title": "Crack", "incidentDate": "2024-10-04"})
}

/// A body with some properties set.
pub fn with(mut body: Value, more: &Value) -> Value {
    let more = more.as_object().expect("an object");
    body.as_object_mut().expect("an object").extend(
        more.iter()
            .map(|(name, value)| (name.clone(), value.clone())),
    );
    body
}

/// Everything in the tables that a write could touch, as text.
pub async fn everything(service: &Service) -> String {
    service
        .store()
        .read(dump)
        .await
        .expect("the tables can be read")
}

fn dump(session: &mut dyn Session) -> Result<String, StoreError> {
    const TABLES: [&str; 9] = [
        "incidents",
        "incident_categories",
        "incident_consequences",
        "incident_causes",
        "incident_custom_fields",
        "incident_comments",
        "improvements",
        "tasks",
        "stamps",
    ];
    TABLES
        .iter()
        .map(|table| sql::dump(session, table))
        .collect()
}

/// The request is refused with this status and code, and the store is as it was; the problem.
pub async fn refused(
    service: &Service,
    method: &str,
    path: &str,
    body: &Value,
    status: u16,
    code: &str,
) -> Value {
    let before = everything(service).await;
    let answer = sent(service, method, path, body).await;
    let problem = answer.is_problem(status, code);
    assert_eq!(everything(service).await, before, "{method} {path} {body}");
    problem
}

/// The request succeeds; its answer.
pub async fn accepted(service: &Service, method: &str, path: &str, body: &Value) -> Value {
    let answer = sent(service, method, path, body).await;
    assert_eq!(
        answer.status,
        200,
        "{method} {path} {body}: {}",
        answer.text()
    );
    answer.json()
}

async fn sent(service: &Service, method: &str, path: &str, body: &Value) -> Answer {
    match method {
        "PUT" => service.put(path, body).await,
        "POST" => service.post(path, body).await,
        other => {
            let method = other.parse().expect("a method");
            Answer::of(service.request(method, path).json(body)).await
        }
    }
}
