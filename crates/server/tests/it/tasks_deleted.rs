//! Tasks that are deleted, alone or with what they belong to, and tasks that a client may not see.

use obeya_server::store::StoreError;
use obeya_server::store::incidents::{RETENTION_TICKS, purge};
use reqwest::Method;
use serde_json::{Value, json};

use crate::grants_random::restricted;
use crate::incidents_plant::{accepted, plant};
use crate::support::{ALL, Answer, Service};

const TASKS: &str = "/v1/Tasks";

async fn delete(service: &Service, id: i64, headers: &[(&str, &str)]) -> Answer {
    let request = service.request(Method::DELETE, &format!("{TASKS}/{id}"));
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(*name, *value)
    });
    Answer::of(request).await
}

/// A new task; its id.
async fn made(service: &Service, path: &str, body: Value) -> i64 {
    let made = accepted(service, "POST", path, &body).await;
    made["id"].as_i64().expect("an id")
}

async fn store(service: &Service, sql: &'static str) {
    let done = service
        .store()
        .write(move |session| session.execute(sql, &[]));
    let done: Result<u64, StoreError> = done.await;
    assert!(done.expect("it fits") > 0, "{sql}");
}

/// The ids of all tasks in the store.
async fn stored(service: &Service) -> Vec<i32> {
    let ids = service
        .store()
        .read(|session| session.all("SELECT id FROM tasks ORDER BY id", &[], |row| row.int32(0)));
    let ids: Result<Vec<Option<i32>>, StoreError> = ids.await;
    ids.expect("the ids").into_iter().flatten().collect()
}

#[tokio::test]
async fn a_task_is_deleted_with_its_sub_tasks_and_returned_as_it_was() {
    let service = plant().await;
    let top = made(
        &service,
        TASKS,
        json!({"title": "Top", "responsibleUserId": "u-104"}),
    )
    .await;
    let sub = made(
        &service,
        &format!("{TASKS}/{top}/SubTasks"),
        json!({"title": "Sub"}),
    )
    .await;
    let below = made(
        &service,
        &format!("{TASKS}/{sub}/SubTasks"),
        json!({"title": "Below"}),
    )
    .await;
    let other = made(&service, TASKS, json!({"title": "Other"})).await;
    let read = service.get(&format!("{TASKS}/{top}")).await;

    let stale = delete(&service, top, &[("if-match", "\"other\"")]).await;
    stale.is_problem(412, "precondition.failed");
    let headers = [
        ("if-match", read.header("etag")),
        ("idempotency-key", "k-1"),
    ];
    let deleted = delete(&service, top, &headers).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text());
    assert_eq!(deleted.json(), read.json());
    for id in [top, sub, below] {
        let gone = service.get(&format!("{TASKS}/{id}")).await;
        gone.is_problem(404, "not_found");
    }
    let change = service.store().read(|session| {
        let sql = "SELECT change FROM audit_entries WHERE record = 'tasks/1' ORDER BY number DESC LIMIT 1";
        session.first(sql, &[], |row| row.string(0))
    });
    let change = change.await.expect("read").flatten().expect("an entry");
    for part in [
        r#"{"before":{"title":"Top""#,
        r#""title":"Sub""#,
        r#""title":"Below""#,
    ] {
        assert!(change.contains(part), "{change}");
    }

    // Again: it was carried out, and there is nothing to return.
    let again = delete(&service, top, &headers).await;
    again.is_problem(404, "not_found");
    assert_eq!(again.header("idempotency-replayed"), "true");
    delete(&service, top, &[])
        .await
        .is_problem(404, "not_found");
    assert_eq!(stored(&service).await, [4]);
    delete(&service, other, &[]).await;
    let next = made(&service, TASKS, json!({"title": "Next"})).await;
    assert_eq!(next, 5, "an id is not used again");
}

#[tokio::test]
async fn the_tasks_of_an_incident_go_with_it() {
    let service = plant().await;
    store(
        &service,
        "INSERT INTO tasks (id, title, status, incident_id, board_id, last_modified) VALUES (10, 'Sort', 'NotStarted', 100, 7, 10)",
    )
    .await;
    let sub = made(&service, "/v1/Tasks/10/SubTasks", json!({"title": "Count"})).await;
    let on_board = async || service.get("/v1/Boards/7/tasks").await.json()["total"].clone();
    assert_eq!(on_board().await, 2);
    let incident = service.request(Method::DELETE, "/v1/Incidents/100");
    assert_eq!(Answer::of(incident).await.status, 200);
    // As if they did not exist.
    for path in ["/v1/Tasks/10", "/v1/Incidents/100/tasks"] {
        service.get(path).await.is_problem(404, "not_found");
    }
    assert_eq!(on_board().await, 0);
    let title = json!({"title": "x"});
    for path in ["/v1/Tasks/10/SubTasks", "/v1/Tasks/999/SubTasks"] {
        service
            .post(path, &title)
            .await
            .is_problem(404, "not_found");
    }
    let put = service.put(&format!("{TASKS}/{sub}"), &title).await;
    put.is_problem(404, "not_found");
    delete(&service, 10, &[]).await.is_problem(404, "not_found");

    let restored = service
        .put("/v1/Incidents/trash/100/restore", &json!({}))
        .await;
    assert_eq!(restored.status, 200, "{}", restored.text());
    assert_eq!(service.get("/v1/Tasks/10").await.json()["title"], "Sort");
    let incident = service.request(Method::DELETE, "/v1/Incidents/100");
    assert_eq!(Answer::of(incident).await.status, 200);
    let kept = made(&service, TASKS, json!({"title": "Of nobody"})).await;
    let later = i64::MAX - RETENTION_TICKS;
    purge(service.store(), later).await.expect("a purge");
    assert_eq!(
        stored(&service).await,
        [i32::try_from(kept).expect("an id")]
    );
}

#[tokio::test]
async fn a_project_with_tasks_is_in_use() {
    let service = plant().await;
    let id = made(&service, "/v1/Projects/8/tasks", json!({"title": "x"})).await;
    let remove = async || Answer::of(service.request(Method::DELETE, "/v1/Projects/8")).await;
    let problem = remove().await.is_problem(409, "project.in_use");
    let detail = problem["detail"].as_str().expect("a text");
    assert!(detail.contains("a task refers to it"), "{detail}");
    delete(&service, id, &[]).await;
    assert_eq!(remove().await.status, 200);
}

/// Board 7 is of group 4; incident 100 gets area 2, incident 101 no area.
#[tokio::test]
async fn a_restricted_client_sees_the_tasks_of_its_boards_and_incidents() {
    let service = plant().await;
    store(
        &service,
        "UPDATE incidents SET area_id = 2, reported_by_group_id = 4 WHERE id = 100",
    )
    .await;
    store(
        &service,
        "INSERT INTO tasks (id, title, status, board_id, incident_id, last_modified) VALUES (10, 'Of board 7', 'NotStarted', 7, NULL, 10),
            (11, 'Of board 8', 'NotStarted', 8, NULL, 10), (12, 'Of incident 100', 'NotStarted', NULL, 100, 10),
            (13, 'Of incident 101', 'NotStarted', NULL, 101, 10), (14, 'Of nobody', 'NotStarted', NULL, NULL, 10)",
    )
    .await;
    for (grants, expected) in [
        (&["group=4"][..], &[10, 12][..]),
        (&["group=5"], &[]),
        (&["area=2"], &[10, 11, 12, 14]),
        (&["incident-type=6"], &[10, 11, 14]),
        (&["area=2", "group=4"], &[10, 12]),
        (&["datasource=1"], &[10, 11, 12, 13, 14]),
    ] {
        let token = restricted(&service, &ALL, grants).await;
        let mut seen = Vec::new();
        for id in 10..15 {
            let answer = service.get_as(Some(&token), &format!("{TASKS}/{id}")).await;
            match answer.status {
                200 => seen.push(id),
                _ => drop(answer.is_problem(404, "not_found")),
            }
        }
        assert_eq!(seen, expected, "{grants:?}");
    }

    let token = restricted(&service, &ALL, &["group=4"]).await;
    let send = async |method: Method, path: &str, body: Value| {
        let request = service.http.request(method, service.url(path));
        Answer::of(request.bearer_auth(&token).json(&body)).await
    };
    let hidden = json!({"title": "x", "boardId": 8});
    let problem = send(Method::POST, TASKS, hidden).await;
    let problem = problem.is_problem(422, "reference.unknown");
    assert_eq!(problem["errors"]["boardId"], json!(["there is no board 8"]));
    for (method, path, body) in [
        (Method::POST, TASKS, json!({"title": "Of nobody"})),
        (
            Method::PUT,
            "/v1/Tasks/10",
            json!({"title": "x", "boardId": null}),
        ),
    ] {
        send(method, path, body)
            .await
            .is_problem(403, "grant.missing");
    }
    let deleted = send(Method::DELETE, "/v1/Tasks/10", Value::Null).await;
    assert_eq!(
        (deleted.status, &deleted.json()["title"]),
        (200, &json!("Of board 7"))
    );
}
