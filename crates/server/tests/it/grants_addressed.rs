//! Every operation with the id of a record in its path that grants may hide.

use serde_json::{Value, json};

use super::incidents_plant::{least_update, with};

/// An operation with the id of a record in its path: method, path, the id of a hidden record, and a body.
pub type Addressed = (&'static str, &'static str, i32, Option<Value>);

/// Stands for a form with a file.
pub fn a_file() -> Value {
    json!({"a form with": "a file"})
}

/// Each such operation. A hidden record is one of [`super::grants`].
pub fn addressed() -> Vec<Addressed> {
    let value = json!({"value": 2.0, "valueDate": "2025-06-01T00:00:00Z"});
    let user = json!({"userName": "night", "email": "night@plant.example", "firstName": "A", "lastName": "B"});
    let [get, put, post, patch, delete] = ["GET", "PUT", "POST", "PATCH", "DELETE"];
    vec![
        (get, "/v2/areas/{}", 3, None),
        (get, "/v2/boards/{}", 9, None),
        (get, "/v2/groups/{}", 5, None),
        (get, "/v2/incidents/{}/comments", 200, None),
        (get, "/v2/incidents/{}/comments/50", 200, None),
        (get, "/v2/incidents/{}/types", 200, None),
        (get, "/v2/incidents/{}/types/6", 200, None),
        (get, "/v2/incidents/comments/{}", 50, None),
        (get, "/v2/incidents/{}", 200, None),
        (get, "/v2/incidents/types/{}", 6, None),
        (get, "/v1/Improvements/{}", 400, None),
        (get, "/v2/improvements/{}", 400, None),
        (get, "/v1/Incidents/{}", 200, None),
        (get, "/v1/Incidents/{}/comments", 200, None),
        (get, "/v1/Incidents/{}/tasks", 200, None),
        (get, "/v1/Incidents/{}/attachments", 200, None),
        (get, "/v2/incidents/{}/attachments/63/content", 200, None),
        (get, "/v2/tasks/{}/attachments/71/content", 300, None),
        (post, "/v2/incidents/{}/attachments", 200, Some(a_file())),
        (post, "/v2/tasks/{}/attachments", 300, Some(a_file())),
        (delete, "/v2/incidents/{}/attachments/63", 200, None),
        (delete, "/v2/tasks/{}/attachments/71", 300, None),
        (get, "/v1/Incidents/types/{}", 6, None),
        (get, "/v1/Datasources/{}", 2, None),
        (get, "/v1/Datasources/{}/values", 2, None),
        (get, "/v2/datasources/{}", 2, None),
        (get, "/v2/datasources/{}/values", 2, None),
        (get, "/v1/Boards/{}", 9, None),
        (
            put,
            "/v1/Improvements/{}",
            400,
            Some(json!({"title": "Now"})),
        ),
        (
            put,
            "/v1/Incidents/{}",
            200,
            Some(with(least_update(), &json!({"incidentTypeId": 6}))),
        ),
        (
            put,
            "/v1/Incidents/{}/consequences",
            200,
            Some(json!([{"id": 53}])),
        ),
        (
            put,
            "/v1/Incidents/{}/causes",
            200,
            Some(json!([{"id": 43}])),
        ),
        (put, "/v1/Incidents/{}/externalId", 200, Some(json!("x"))),
        (
            put,
            "/v1/Incidents/{}/status",
            200,
            Some(json!({"status": "InProgress"})),
        ),
        (
            put,
            "/v1/Incidents/{}/severity",
            200,
            Some(json!({"severity": "High"})),
        ),
        (
            put,
            "/v1/Incidents/{}/responsible",
            200,
            Some(json!({"followUpGroupId": 5, "responsibleUserId": "u-117"})),
        ),
        (
            put,
            "/v1/Incidents/{}/categories",
            200,
            Some(json!([{"id": 60}])),
        ),
        (
            put,
            "/v1/Incidents/{}/customfields/63",
            200,
            Some(json!({"value": "3"})),
        ),
        (post, "/v1/Datasources/{}/values", 2, Some(value.clone())),
        (put, "/v1/Datasources/{}/values/71", 2, Some(value.clone())),
        (
            post,
            "/v1/Datasources/{}/values/batch",
            2,
            Some(json!([value])),
        ),
        (delete, "/v1/Datasources/{}/values/71", 2, None),
        (
            put,
            "/v1/Datasources/{}/values/batchReplace",
            2,
            Some(json!([])),
        ),
        (
            delete,
            "/v1/Datasources/{}/values/batch",
            2,
            Some(json!([71])),
        ),
        (delete, "/v1/Incidents/{}", 200, None),
        (put, "/v1/Incidents/trash/{}/restore", 201, None),
        (delete, "/v1/Improvements/{}", 400, None),
        (get, "/v1/Groups/{}/members", 5, None),
        (
            put,
            "/v1/Groups/{}/members",
            5,
            Some(json!({"userId": "u-104", "groupRole": "Owner"})),
        ),
        (delete, "/v1/Groups/{}/members/u-117", 5, None),
        (delete, "/v1/Groups/{}", 8, None),
        (get, "/v1/Boards/{}/tasks", 9, None),
        (post, "/v1/Boards/{}/tasks", 9, Some(json!({"title": "x"}))),
        (get, "/v1/Tasks/{}", 300, None),
        (get, "/v2/tasks/{}", 300, None),
        (put, "/v1/Tasks/{}", 300, Some(json!({"title": "x"}))),
        (
            post,
            "/v1/Tasks/{}/SubTasks",
            300,
            Some(json!({"title": "x"})),
        ),
        (get, "/v2/tasks/comments/{}", 310, None),
        (get, "/v2/tasks/{}/comments", 300, None),
        (get, "/v2/tasks/{}/comments/310", 300, None),
        (delete, "/v2/tasks/comments/{}", 310, None),
        (delete, "/v2/tasks/{}/comments/311", 300, None),
        (
            put,
            "/v2/tasks/{}",
            300,
            Some(json!({"title": "x", "status": "Blocked"})),
        ),
        (patch, "/v2/tasks/{}", 300, Some(json!({"title": "x"}))),
        (delete, "/v1/Tasks/{}", 300, None),
        (delete, "/v2/tasks/{}", 302, None),
        (get, "/v1/Users/{}", 500, None),
        (get, "/v2/users/{}", 500, None),
        (get, "/v1/Users/{}/groups", 500, None),
        (put, "/v1/Users/{}", 500, Some(user.clone())),
        (
            put,
            "/v2/users/{}",
            500,
            Some(with(user, &json!({"type": "NORMAL"}))),
        ),
        (patch, "/v2/users/{}", 500, Some(json!({"externalId": "x"}))),
        (delete, "/v1/Users/{}/roles/Lead", 500, None),
        (put, "/v1/Users/{}/roles/Lead", 500, None),
        (delete, "/v1/Users/{}", 500, None),
        (delete, "/v2/users/{}", 501, None),
    ]
}
