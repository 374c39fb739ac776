//! Writes of tasks under /v2.

use obeya_server::store::StoreError;
use reqwest::Method;
use serde_json::{Value, json};

use crate::grants_random::restricted;
use crate::incidents_plant::{NOW, accepted, plant, refused};
use crate::support::{ALL, Answer, Service};

const TASKS: &str = "/v2/tasks";
const MERGE_PATCH: &str = "application/merge-patch+json";

async fn send(
    service: &Service,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> Answer {
    let mut request = service.request(method, path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    if !body.is_null() {
        request = request.body(body.to_string());
    }
    Answer::of(request).await
}

/// The answer to a PATCH that succeeds.
async fn patched(service: &Service, path: &str, body: &Value) -> Value {
    let answer = send(
        service,
        Method::PATCH,
        path,
        &[("content-type", MERGE_PATCH)],
        body,
    )
    .await;
    assert_eq!(answer.status, 200, "{body}: {}", answer.text());
    answer.json()
}

/// A new task of board 7; its id.
async fn made(service: &Service, title: &str, parent: Option<i64>) -> i64 {
    let body = json!({"title": title, "status": "NotStarted", "parentId": parent, "boardId": 7});
    let made = accepted(service, "POST", TASKS, &body).await;
    made["id"].as_i64().expect("an id")
}

async fn last_change(service: &Service) -> Value {
    let entry = service.store().read(|session| {
        let sql =
            "SELECT operation, record, change FROM audit_entries ORDER BY number DESC LIMIT 1";
        session.first(sql, &[], |row| {
            Ok([row.string(0)?, row.string(1)?, row.string(2)?].map(Option::unwrap_or_default))
        })
    });
    let entry: Result<_, StoreError> = entry.await;
    let [operation, record, change] = entry.expect("read").expect("an entry");
    let change: Value = serde_json::from_str(&change).expect("JSON");
    json!([operation, record, change])
}

/// Every property that a body sets.
fn full() -> Value {
    json!({
        "responsibleUserId": "u-104", "externalId": "a-1", "boardId": 7, "title": "Clamp", "description": "Worn", "status": "Blocked",
        "dueDate": "2025-06-09T12:00:00+02:00", "startDate": "2025-06-05", "rowCategoryId": 70, "columnCategoryId": 75,
        "color": "#F2C94C", "tags": ["5S", "oil"],
    })
}

/// The task that such a body makes.
fn stored(id: i64, modified: &str) -> Value {
    json!({
        "id": id, "parentId": null, "lastModified": modified, "responsibleUser": "Ingrid Solheim", "responsibleUserId": "u-104",
        "externalId": "a-1", "boardId": 7, "title": "Clamp", "description": "Worn", "status": "Blocked", "dueDate": "2025-06-09T10:00:00Z",
        "startDate": "2025-06-05T00:00:00Z", "rowCategoryId": 70, "columnCategoryId": 75, "lastModifiedByUserId": null,
        "lastModifiedByUser": null, "tags": ["5S", "oil"], "color": "#F2C94C",
    })
}

#[tokio::test]
async fn a_task_is_created_with_every_property_and_read_back() {
    let service = plant().await;
    let answer = service.post(TASKS, &full()).await;
    assert_eq!(answer.json(), stored(1, NOW), "{}", answer.text());
    assert_eq!(answer.header("location"), service.url("/v2/tasks/1"));
    let read = service.get("/v2/tasks/1").await;
    assert_eq!(read.json(), stored(1, NOW));
    assert_eq!(read.header("etag"), answer.header("etag"));
    assert_eq!(
        last_change(&service).await,
        json!(["createTaskV2", "tasks/1", {"after": {
            "title": "Clamp", "description": "Worn", "status": "Blocked", "boardId": 7, "responsibleUserId": "u-104",
            "startDate": "2025-06-05T00:00:00Z", "dueDate": "2025-06-09T10:00:00Z", "rowCategoryId": 70, "columnCategoryId": 75,
            "tags": ["5S", "oil"], "color": "#F2C94C", "externalId": "a-1",
        }}])
    );
    // The colour is a property like any other; v1 does not show it and leaves it.
    let red = service
        .get("/v2/tasks?$filter=color%20eq%20'%23F2C94C'&$select=id")
        .await;
    assert_eq!(red.json()["value"], json!([{"id": 1}]));
    let v1 = accepted(&service, "PUT", "/v1/Tasks/1", &json!({"title": "Clamps"})).await;
    assert_eq!(v1.get("color"), None);
    assert_eq!(service.get("/v2/tasks/1").await.json()["color"], "#F2C94C");
}

#[tokio::test]
async fn a_sub_task_belongs_to_what_its_task_belongs_to() {
    let service = plant().await;
    let of_incident = service.store().write(|session| {
        let sql = "INSERT INTO tasks (id, title, status, board_id, incident_id, project_id, last_modified)
            VALUES (10, 'Sort', 'Blocked', 7, 100, 8, 10), (11, 'Gone', 'Blocked', NULL, 102, NULL, 10)";
        session.execute(sql, &[])
    });
    let of_incident: Result<_, StoreError> = of_incident.await;
    assert_eq!(of_incident.expect("the rows fit"), 2);
    let body = json!({"title": "Count", "status": "NotStarted", "parentId": 10});
    let sub = accepted(&service, "POST", TASKS, &body).await;
    assert_eq!([&sub["parentId"], &sub["boardId"]], [&json!(10), &json!(7)]);
    let of = |path| service.get(path);
    let last =
        |list: Value| list.as_array().expect("an array").last().expect("a task")["id"].clone();
    for path in ["/v1/Incidents/100/tasks", "/v1/Projects/8/tasks"] {
        assert_eq!(last(of(path).await.json()), sub["id"], "{path}");
    }
    let elsewhere = json!({"title": "Count", "status": "NotStarted", "parentId": 10, "boardId": 8});
    assert_eq!(
        accepted(&service, "POST", TASKS, &elsewhere).await["boardId"],
        8
    );
    // The row and the column are those of the board that it gets.
    let row =
        json!({"title": "Count", "status": "NotStarted", "parentId": 10, "rowCategoryId": 70});
    assert_eq!(
        accepted(&service, "POST", TASKS, &row).await["rowCategoryId"],
        70
    );

    // Of nothing, and of a task of an incident in the trash.
    for parent in [999, 11] {
        let body = json!({"title": "x", "status": "NotStarted", "parentId": parent});
        let problem = refused(&service, "POST", TASKS, &body, 422, "reference.unknown").await;
        assert_eq!(
            problem["errors"]["parentId"],
            json!([format!("there is no task {parent}")])
        );
    }
    // A client that is not granted the task above.
    let token = restricted(&service, &ALL, &["group=5"]).await;
    let request = service
        .http
        .post(service.url(TASKS))
        .bearer_auth(&token)
        .json(&body);
    let problem = Answer::of(request)
        .await
        .is_problem(422, "reference.unknown");
    assert_eq!(
        problem["errors"],
        json!({"parentId": ["there is no task 10"]})
    );
}

#[tokio::test]
async fn put_empties_what_its_body_leaves_out() {
    let service = plant().await;
    service.post(TASKS, &full()).await;
    let sub = made(&service, "Below", Some(1)).await;
    service.clock.advance(60);
    // The same body changes nothing, and no stamp.
    let same = accepted(&service, "PUT", "/v2/tasks/1", &full()).await;
    assert_eq!(same, stored(1, NOW));
    let least = json!({"title": "Clamps", "status": "Completed"});
    let changed = accepted(&service, "PUT", "/v2/tasks/1", &least).await;
    let expected = json!({
        "id": 1, "parentId": null, "lastModified": "2025-06-02T08:01:00Z", "responsibleUser": null, "responsibleUserId": null,
        "externalId": null, "boardId": null, "title": "Clamps", "description": null, "status": "Completed", "dueDate": null,
        "startDate": null, "rowCategoryId": null, "columnCategoryId": null, "lastModifiedByUserId": null, "lastModifiedByUser": null,
        "tags": [], "color": null,
    });
    assert_eq!(changed, expected);
    // It stays where it is in the tree.
    let path = format!("{TASKS}/{sub}");
    assert_eq!(
        accepted(&service, "PUT", &path, &least).await["parentId"],
        1
    );
    for (left_out, body) in [
        ("title", json!({"status": "Blocked"})),
        ("status", json!({"title": "x"})),
    ] {
        let problem = refused(&service, "PUT", &path, &body, 400, "body.invalid").await;
        assert!(
            problem["detail"]
                .as_str()
                .expect("a text")
                .contains(left_out),
            "{problem}"
        );
    }
}

#[tokio::test]
async fn patch_changes_what_its_body_has_and_null_empties() {
    let service = plant().await;
    service.post(TASKS, &full()).await;
    service.clock.advance(60);
    assert_eq!(
        patched(&service, "/v2/tasks/1", &json!({})).await,
        stored(1, NOW)
    );
    let mut expected = stored(1, "2025-06-02T08:01:00Z");
    expected["status"] = json!("Completed");
    let status = json!({"status": "Completed"});
    assert_eq!(patched(&service, "/v2/tasks/1", &status).await, expected);
    assert_eq!(
        last_change(&service).await,
        json!(["patchTask", "tasks/1", {"before": {"status": "Blocked"}, "after": {"status": "Completed"}}])
    );
    for (name, empty) in [
        ("externalId", Value::Null),
        ("description", Value::Null),
        ("responsibleUserId", Value::Null),
        ("dueDate", Value::Null),
        ("startDate", Value::Null),
        ("rowCategoryId", Value::Null),
        ("columnCategoryId", Value::Null),
        ("color", Value::Null),
        ("tags", json!([])),
    ] {
        let changed = patched(&service, "/v2/tasks/1", &json!({name: null})).await;
        expected[name] = empty;
        expected["lastModified"] = changed["lastModified"].clone();
        if name == "responsibleUserId" {
            expected["responsibleUser"] = Value::Null;
        }
        assert_eq!(changed, expected, "{name}");
    }
    // Another board takes it out of its row and column.
    patched(&service, "/v2/tasks/1", &json!({"rowCategoryId": 70})).await;
    let moved = patched(&service, "/v2/tasks/1", &json!({"boardId": 8})).await;
    assert_eq!(
        [&moved["boardId"], &moved["rowCategoryId"]],
        [&json!(8), &Value::Null]
    );

    let headers = [("content-type", MERGE_PATCH)];
    for (body, status, code, named) in [
        (json!({"title": null}), 400, "body.invalid", "title"),
        (json!({"status": null}), 400, "body.invalid", "status"),
        (json!({"status": "Done"}), 400, "body.invalid", "status"),
        (json!({"title": ""}), 400, "body.invalid", "title"),
        (
            json!({"color": "x".repeat(256)}),
            400,
            "body.invalid",
            "color",
        ),
        (
            json!({"startDate": "2025-06-05", "dueDate": "2025-06-04"}),
            400,
            "body.invalid",
            "dueDate",
        ),
        (json!({"boardId": 99}), 422, "reference.unknown", "boardId"),
        (
            json!({"columnCategoryId": 99}),
            422,
            "reference.unknown",
            "columnCategoryId",
        ),
        (
            json!({"responsibleUserId": "u-999"}),
            422,
            "reference.unknown",
            "responsibleUserId",
        ),
    ] {
        let answer = send(&service, Method::PATCH, "/v2/tasks/1", &headers, &body).await;
        let problem = answer.is_problem(status, code);
        assert!(problem["errors"].get(named).is_some(), "{body}: {problem}");
    }
    assert_eq!(service.get("/v2/tasks/1").await.json(), moved);
    let missing = send(&service, Method::PATCH, "/v2/tasks/99", &headers, &status).await;
    missing.is_problem(404, "not_found");
}

#[tokio::test]
async fn a_patch_is_json_or_a_merge_patch() {
    let service = plant().await;
    let id = made(&service, "Clamp", None).await;
    let path = format!("{TASKS}/{id}");
    let body = json!({"title": "Clamps"});
    for media in [
        "application/json",
        "Application/Merge-Patch+JSON; charset=utf-8",
    ] {
        let answer = send(
            &service,
            Method::PATCH,
            &path,
            &[("content-type", media)],
            &body,
        )
        .await;
        assert_eq!(answer.status, 200, "{media}: {}", answer.text());
    }
    let answer = send(
        &service,
        Method::PATCH,
        &path,
        &[("content-type", "application/json-patch+json")],
        &body,
    )
    .await;
    answer.is_problem(415, "media_type.unsupported");
    let supported = "application/json, application/merge-patch+json";
    assert_eq!(answer.header("accept-patch"), supported);
    // It is no media type of another write.
    let answer = send(
        &service,
        Method::PUT,
        &path,
        &[("content-type", MERGE_PATCH)],
        &full(),
    )
    .await;
    answer.is_problem(415, "media_type.unsupported");
    assert_eq!(answer.header("accept"), "application/json");
}

#[tokio::test]
async fn a_tag_of_either_metadata_permits_a_change() {
    let service = plant().await;
    let id = made(&service, "Clamp", None).await;
    let path = format!("{TASKS}/{id}");
    let minimal = ("accept", "application/json;odata.metadata=minimal");
    let json = ("content-type", "application/json");
    let read = service
        .request(Method::GET, &path)
        .header(minimal.0, minimal.1);
    let read = Answer::of(read).await;
    let context = read.json()["@odata.context"].clone();
    assert_eq!(context, service.url("/v2/$metadata#tasks/$entity"));
    let plain = service.get(&path).await;
    assert_ne!(plain.header("etag"), read.header("etag"));

    let body = json!({"color": "red"});
    let of_v1 = service.get(&format!("/v1/Tasks/{id}")).await;
    for stale in [of_v1.header("etag"), "\"other\""] {
        let headers = [json, ("if-match", stale)];
        let stale = send(&service, Method::PATCH, &path, &headers, &body).await;
        stale.is_problem(412, "precondition.failed");
    }
    let headers = [json, minimal, ("if-match", read.header("etag"))];
    let changed = send(&service, Method::PATCH, &path, &headers, &body).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    assert_eq!(changed.header("content-type"), minimal.1);
    assert_eq!(changed.json()["@odata.context"], context);
    let read = Answer::of(
        service
            .request(Method::GET, &path)
            .header(minimal.0, minimal.1),
    )
    .await;
    assert_eq!(
        (changed.text(), changed.header("etag")),
        (read.text(), read.header("etag"))
    );
    let body = json!({"title": "Clamp", "status": "Blocked"});
    let stale = send(
        &service,
        Method::PUT,
        &path,
        &[json, ("if-match", plain.header("etag"))],
        &body,
    )
    .await;
    stale.is_problem(412, "precondition.failed");
    // A response without a body has no metadata to choose.
    let headers = [("if-match", read.header("etag"))];
    let deleted = send(&service, Method::DELETE, &path, &headers, &Value::Null).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text());
}

/// The ids of all tasks with their parents.
async fn tree(service: &Service) -> Value {
    let list = service
        .get("/v2/tasks?$select=id,parentId,lastModified")
        .await
        .json();
    let list = list["value"].as_array().expect("an array").iter();
    let pairs = list.map(|task| json!([task["id"], task["parentId"], task["lastModified"]]));
    pairs.collect()
}

#[tokio::test]
async fn the_mode_of_a_deletion_decides_what_becomes_of_sub_tasks() {
    let service = plant().await;
    let top = made(&service, "Top", None).await;
    let middle = made(&service, "Middle", Some(top)).await;
    for title in ["One", "Two"] {
        made(&service, title, Some(middle)).await;
    }
    made(&service, "Below one", Some(3)).await;
    let before = tree(&service).await;
    service.clock.advance(60);
    let delete = async |id: i64, query: &str, headers: &[(&str, &str)]| {
        let path = format!("{TASKS}/{id}{query}");
        send(&service, Method::DELETE, &path, headers, &Value::Null).await
    };
    for query in ["?mode=cascade", "?mode=", "?mode=Cascade&mode=Detach"] {
        let problem = delete(middle, query, &[])
            .await
            .is_problem(400, "query.invalid");
        assert!(problem["errors"].get("mode").is_some(), "{problem}");
    }
    assert_eq!(tree(&service).await, before);

    let key = [("idempotency-key", "k-1")];
    let detached = delete(middle, "?Mode=Detach", &key).await;
    assert_eq!((detached.status, detached.text()), (200, String::new()));
    let later = "2025-06-02T08:01:00Z";
    let stamp = |at: usize| before[at][2].clone();
    let expected = json!([
        [1, null, stamp(0)],
        [3, 1, later],
        [4, 1, later],
        [5, 3, stamp(4)],
    ]);
    assert_eq!(tree(&service).await, expected);
    let entry = last_change(&service).await;
    assert_eq!(
        [&entry[0], &entry[1]],
        [&json!("deleteTaskV2"), &json!("tasks/2")]
    );
    for (state, parent) in [("before", 2), ("after", 1)] {
        let parts = entry[2][state]["subTasks"].as_array().expect("sub-tasks");
        let parents: Vec<_> = parts
            .iter()
            .map(|task| [&task["id"], &task["parentId"]])
            .collect();
        assert_eq!(
            parents,
            [[&json!(3), &json!(parent)], [&json!(4), &json!(parent)]]
        );
    }
    // Again: the first answer. Without the key it finds nothing.
    let again = delete(middle, "?Mode=Detach", &key).await;
    assert_eq!(
        (again.status, again.header("idempotency-replayed")),
        (200, "true")
    );
    delete(middle, "", &[]).await.is_problem(404, "not_found");

    // At the top they become tasks of their own.
    assert_eq!(delete(top, "?mode=Detach", &[]).await.status, 200);
    assert_eq!(tree(&service).await[0][1], Value::Null);
    // By default, and by its word, those below go with it.
    assert_eq!(delete(3, "", &[]).await.status, 200);
    assert_eq!(tree(&service).await.as_array().map(Vec::len), Some(1));
    made(&service, "Below two", Some(4)).await;
    assert_eq!(delete(4, "?mode=Cascade", &[]).await.status, 200);
    assert_eq!(tree(&service).await, json!([]));
    let words = service
        .store()
        .read(|session| session.first("SELECT count(*) FROM tasks_search", &[], |row| row.int(0)));
    assert_eq!(words.await.expect("read"), Some(Some(0)));
}

#[tokio::test]
async fn a_repeated_request_is_carried_out_once() {
    let service = plant().await;
    let key = [
        ("idempotency-key", "k-1"),
        ("content-type", "application/json"),
    ];
    let body = json!({"title": "Clamp", "status": "Blocked"});
    let first = send(&service, Method::POST, TASKS, &key, &body).await;
    let again = send(&service, Method::POST, TASKS, &key, &body).await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(
        (again.json(), again.header("location"), again.header("etag")),
        (first.json(), first.header("location"), first.header("etag"))
    );
    // One key belongs to one operation.
    let body = json!({"color": "red"});
    let patched = send(&service, Method::PATCH, "/v2/tasks/1", &key, &body).await;
    assert_eq!(patched.json()["color"], "red");
    accepted(
        &service,
        "PUT",
        "/v2/tasks/1",
        &json!({"title": "x", "status": "Blocked"}),
    )
    .await;
    let again = send(&service, Method::PATCH, "/v2/tasks/1", &key, &body).await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.json()["color"], Value::Null);
    assert_eq!(tree(&service).await.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_client_that_only_writes_sees_what_it_set() {
    let service = plant().await;
    service.post(TASKS, &full()).await;
    let token = service.token_for(&["public.api.write"]).await;
    let request = service
        .http
        .patch(service.url("/v2/tasks/1"))
        .bearer_auth(&token);
    let answer = Answer::of(request.json(&json!({"color": "red"}))).await;
    let expected = json!({
        "id": 1, "parentId": null, "lastModified": answer.json()["lastModified"], "responsibleUser": null, "responsibleUserId": null,
        "externalId": null, "boardId": null, "title": "Clamp", "description": null, "status": "Blocked", "dueDate": null,
        "startDate": null, "rowCategoryId": null, "columnCategoryId": null, "lastModifiedByUserId": null, "lastModifiedByUser": null,
        "tags": [], "color": "red",
    });
    assert_eq!(answer.json(), expected);
    let token = service.token_for(&["Tasks.Read", "public.api.read"]).await;
    let request = service
        .http
        .delete(service.url("/v2/tasks/1"))
        .bearer_auth(&token);
    Answer::of(request).await.is_problem(403, "scope.missing");
}
