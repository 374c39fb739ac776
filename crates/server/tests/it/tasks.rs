//! Tasks of boards, projects, incidents and persons: what is created, listed and changed.

use futures_util::TryStreamExt as _;
use obeya::Client;
use obeya::model::TaskInfo;
use serde_json::{Value, json};

use crate::incidents_plant::{NOW, accepted, plant, refused};
use crate::support::{Answer, Service};

const TASKS: &str = "/v1/Tasks";

/// A new task; its id.
async fn made(service: &Service, path: &str, body: Value) -> i64 {
    let made = accepted(service, "POST", path, &body).await;
    made["id"].as_i64().expect("an id")
}

fn ids(list: &Value) -> Vec<i64> {
    let list = list.as_array().expect("an array").iter();
    list.map(|task| task["id"].as_i64().expect("an id"))
        .collect()
}

async fn last_change(service: &Service) -> [String; 2] {
    let entry = service.store().read(|session| {
        let sql = "SELECT record, change FROM audit_entries ORDER BY number DESC LIMIT 1";
        session.first(sql, &[], |row| {
            Ok([row.string(0)?, row.string(1)?].map(Option::unwrap_or_default))
        })
    });
    entry.await.expect("read").expect("an entry")
}

#[tokio::test]
async fn the_least_body_creates_a_task_that_is_not_started() {
    let service = plant().await;
    let answer = service
        .post(TASKS, &json!({"title": "Oil the press"}))
        .await;
    let expected = json!({
        "id": 1, "parentId": null, "lastModified": NOW, "responsibleUser": null, "externalId": null, "boardId": null,
        "title": "Oil the press", "description": null, "status": "NotStarted", "responsibleUserId": null, "dueDate": null, "startDate": null,
        "rowCategoryId": null, "columnCategoryId": null, "tags": [],
    });
    assert_eq!(answer.json(), expected);
    assert_eq!(answer.header("location"), service.url("/v1/Tasks/1"));
    let read = service.get("/v1/tasks/1").await;
    assert_eq!(read.json(), expected);
    assert_eq!(read.header("etag"), answer.header("etag"));
    assert_eq!(
        last_change(&service).await,
        [
            "tasks/1".to_owned(),
            r#"{"after":{"title":"Oil the press","status":"NotStarted","tags":[]}}"#.to_owned()
        ]
    );
}

#[tokio::test]
async fn every_property_is_set_stays_and_is_emptied() {
    let service = plant().await;
    let body = json!({
        "externalId": "a-1", "boardId": 7, "title": "Clamp", "description": "Worn", "status": "Blocked", "responsibleUserId": "u-104",
        "dueDate": "2025-06-09T12:00:00+02:00", "startDate": "2025-06-05", "rowCategoryId": 70, "columnCategoryId": 75,
        "tags": ["5S", "a \"b\"", "5S"],
    });
    let created = accepted(&service, "POST", TASKS, &body).await;
    let expected = json!({
        "id": 1, "parentId": null, "lastModified": NOW, "responsibleUser": "Ingrid Solheim", "externalId": "a-1", "boardId": 7,
        "title": "Clamp", "description": "Worn", "status": "Blocked", "responsibleUserId": "u-104", "dueDate": "2025-06-09T10:00:00Z",
        "startDate": "2025-06-05T00:00:00Z", "rowCategoryId": 70, "columnCategoryId": 75, "tags": ["5S", "a \"b\"", "5S"],
    });
    assert_eq!(created, expected);

    // What is left out stays, and a body that changes nothing changes no stamp.
    service.clock.advance(60);
    let same = accepted(&service, "PUT", "/v1/Tasks/1", &json!({"title": "Clamp"})).await;
    assert_eq!(same, expected);
    let changed = json!({"Title": "Clamps", "status": "Completed", "tags": ["oil"]});
    let changed = accepted(&service, "PUT", "/v1/Tasks/1", &changed).await;
    assert_eq!(changed["lastModified"], "2025-06-02T08:01:00Z");
    assert_eq!(
        last_change(&service).await,
        [
            "tasks/1".to_owned(),
            r#"{"before":{"title":"Clamp","status":"Blocked","tags":["5S","a \"b\"","5S"]},"after":{"title":"Clamps","status":"Completed","tags":["oil"]}}"#
                .to_owned()
        ]
    );
    let empty = json!({
        "title": "Clamps", "externalId": null, "boardId": null, "description": null, "responsibleUserId": null, "dueDate": null,
        "startDate": null, "rowCategoryId": null, "columnCategoryId": null, "tags": null,
    });
    let emptied = accepted(&service, "PUT", "/v1/Tasks/1", &empty).await;
    for property in empty.as_object().expect("an object").keys() {
        let expected = match property.as_str() {
            "title" => json!("Clamps"),
            "tags" => json!([]),
            _ => Value::Null,
        };
        assert_eq!(emptied[property], expected, "{property}");
    }
    assert_eq!(emptied["status"], "Completed");
}

#[tokio::test]
async fn the_tasks_of_a_board_come_in_pages_and_by_their_due_dates() {
    let service = plant().await;
    let path = "/v1/Boards/7/tasks";
    for due in [
        Some("2025-06-05"),
        None,
        Some("2025-06-07"),
        Some("2025-06-09"),
    ] {
        made(&service, path, json!({"title": "x", "dueDate": due})).await;
    }
    made(
        &service,
        "/v1/Boards/8/tasks",
        json!({"title": "Elsewhere", "boardId": 8}),
    )
    .await;
    let page = async |query: &str| {
        let answer = service.get(&format!("{path}{query}")).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let page = answer.json();
        (
            page["total"].clone(),
            page["page"].clone(),
            ids(&page["values"]),
        )
    };
    assert_eq!(page("").await, (4.into(), 1.into(), vec![1, 2, 3, 4]));
    assert_eq!(page("?Count=3&Page=2").await, (4.into(), 2.into(), vec![4]));
    assert_eq!(page("?count=3&page=9").await, (4.into(), 9.into(), vec![]));
    // Both ends are excluded.
    let between = "?From=2025-06-05&To=06-09-2025";
    assert_eq!(page(between).await, (1.into(), 1.into(), vec![3]));
    for (query, parameter) in [
        ("?Count=10001", "Count"),
        ("?Page=0", "Page"),
        ("?From=soon", "From"),
        ("?From=2025-06-07&To=2025-06-05", "From"),
    ] {
        let problem = service.get(&format!("{path}{query}")).await;
        let problem = problem.is_problem(400, "query.invalid");
        assert!(problem["errors"][parameter].is_array(), "{problem}");
    }
    let filtered = service.get(&format!("{path}?$filter=id%20eq%201")).await;
    filtered.is_problem(400, "odata.option");
    service
        .get("/v1/Boards/99/tasks")
        .await
        .is_problem(404, "not_found");
}

#[tokio::test]
async fn a_sub_task_belongs_to_what_its_task_belongs_to() {
    let service = plant().await;
    let project = made(
        &service,
        "/v1/Projects/8/tasks",
        json!({"title": "Walkways", "boardId": 7}),
    )
    .await;
    let path = format!("{TASKS}/{project}/SubTasks");
    let answer = service
        .post(&path, &json!({"title": "Paint", "columnCategoryId": 75}))
        .await;
    let sub = answer.json();
    assert_eq!(
        (&sub["parentId"], &sub["boardId"]),
        (&json!(project), &json!(7))
    );
    assert_eq!(sub["columnCategoryId"], 75);
    let address = service.url(&format!("{TASKS}/{}", sub["id"]));
    assert_eq!(answer.header("location"), address);
    // On a board of its own.
    let path = format!("{TASKS}/{}/SubTasks", sub["id"]);
    let below = accepted(
        &service,
        "POST",
        &path,
        &json!({"title": "Tape", "boardId": 8}),
    )
    .await;
    assert_eq!(below["boardId"], 8);
    let of_project = service.get("/v1/Projects/8/tasks").await.json();
    assert_eq!(ids(&of_project), [1, 2, 3]);
    assert_eq!(of_project[1], sub);

    let imported = service.store().write(|session| {
        let sql = "INSERT INTO tasks (id, title, status, incident_id, last_modified) VALUES (10, 'Sort', 'NotStarted', 100, 10)";
        session.execute(sql, &[])
    });
    imported.await.expect("it fits");
    let sub = made(&service, "/v1/Tasks/10/SubTasks", json!({"title": "Count"})).await;
    assert_eq!(
        ids(&service.get("/v1/Incidents/100/tasks").await.json()),
        [10, sub]
    );
    assert_eq!(
        service.get("/v1/Incidents/101/tasks").await.json(),
        json!([])
    );
    for path in [
        "/v1/Incidents/102/tasks",
        "/v1/Incidents/99/tasks",
        "/v1/Projects/none/tasks",
    ] {
        service.get(path).await.is_problem(404, "not_found");
    }
}

#[tokio::test]
async fn a_task_that_moves_to_another_board_leaves_its_row_and_column() {
    let service = plant().await;
    let placed = json!({"title": "x", "boardId": 7, "rowCategoryId": 71, "columnCategoryId": 75});
    let id = made(&service, TASKS, placed.clone()).await;
    let path = format!("{TASKS}/{id}");
    let row = accepted(
        &service,
        "PUT",
        &path,
        &json!({"title": "x", "rowCategoryId": 69}),
    )
    .await;
    assert_eq!(
        (&row["rowCategoryId"], &row["columnCategoryId"]),
        (&json!(69), &json!(75))
    );
    let moved = accepted(&service, "PUT", &path, &json!({"title": "x", "boardId": 8})).await;
    assert_eq!(
        (&moved["rowCategoryId"], &moved["columnCategoryId"]),
        (&Value::Null, &Value::Null)
    );
    let back = accepted(&service, "PUT", &path, &placed).await;
    assert_eq!(
        (&back["rowCategoryId"], &back["columnCategoryId"]),
        (&json!(71), &json!(75))
    );
}

#[tokio::test]
async fn each_wrong_body_is_refused_and_its_field_named() {
    let service = plant().await;
    let id = made(&service, "/v1/Boards/7/tasks", json!({"title": "x"})).await;
    let update = format!("{TASKS}/{id}");
    let task = |more: Value| crate::incidents_plant::with(json!({"title": "x"}), &more);
    for (more, field) in [
        (json!({"title": ""}), "title"),
        (json!({"title": null}), "title"),
        (json!({"status": null}), "status"),
        (json!({"status": "Done"}), "status"),
        (json!({"externalId": "x".repeat(256)}), "externalId"),
        (json!({"tags": vec!["x"; 101]}), "tags"),
        (json!({"tags": ["x", ""]}), "tags[1]"),
        (json!({"tags": ["x", 7]}), "tags[1]"),
        (
            json!({"dueDate": "2025-06-05", "startDate": "2025-06-06"}),
            "dueDate",
        ),
    ] {
        for (method, path) in [("POST", TASKS), ("PUT", update.as_str())] {
            let body = task(more.clone());
            let problem = refused(&service, method, path, &body, 400, "body.invalid").await;
            assert!(problem["errors"][field].is_array(), "{body}: {problem}");
        }
    }
    let other = task(json!({"boardId": 8}));
    let problem = refused(
        &service,
        "POST",
        "/v1/Boards/7/tasks",
        &other,
        400,
        "body.invalid",
    )
    .await;
    assert_eq!(
        problem["errors"]["boardId"],
        json!(["expected 7, as in the path, found 8"])
    );

    for (more, field, text) in [
        (json!({"boardId": 99}), "boardId", "there is no board 99"),
        (
            json!({"responsibleUserId": "u-9"}),
            "responsibleUserId",
            "there is no user `u-9`",
        ),
        (
            json!({"boardId": 7, "rowCategoryId": 75}),
            "rowCategoryId",
            "board 7 has no row 75",
        ),
        (
            json!({"boardId": 7, "columnCategoryId": 70}),
            "columnCategoryId",
            "board 7 has no column 70",
        ),
        (
            json!({"boardId": null, "rowCategoryId": 70}),
            "rowCategoryId",
            "there is no row 70, as there is no board",
        ),
    ] {
        for (method, path) in [("POST", TASKS), ("PUT", update.as_str())] {
            let body = task(more.clone());
            let problem = refused(&service, method, path, &body, 422, "reference.unknown").await;
            assert_eq!(problem["errors"][field], json!([text]), "{body}");
        }
    }
}

#[tokio::test]
async fn a_client_that_only_writes_sees_what_it_has_set() {
    let service = plant().await;
    made(
        &service,
        TASKS,
        json!({"title": "x", "externalId": "a-1", "tags": ["5S"]}),
    )
    .await;
    let token = service.token_for(&["public.api.write"]).await;
    let request = service
        .http
        .put(service.url("/v1/Tasks/1"))
        .bearer_auth(&token);
    let body = json!({"title": "y", "description": "Now"});
    let answer = Answer::of(request.json(&body)).await.json();
    let shown = ["title", "description", "externalId", "tags"].map(|name| &answer[name]);
    assert_eq!(
        shown,
        [&json!("y"), &json!("Now"), &Value::Null, &json!([])]
    );
}

/// Each page is a request of its own, and a task may come or go between two of them.
#[tokio::test]
async fn the_sdk_streams_the_tasks_of_a_board_each_once() {
    let service = plant().await;
    for _ in 0..5 {
        made(
            &service,
            "/v1/Boards/7/tasks",
            json!({"title": "x", "tags": ["5S"]}),
        )
        .await;
    }
    let client = Client::builder()
        .base_url(service.running.base_url())
        .token(service.token())
        .build()
        .expect("the settings are sound");
    let list = client.boards().tasks(7).page_size(2);
    let tasks: Vec<TaskInfo> = list.clone().stream().try_collect().await.expect("tasks");
    assert_eq!(
        tasks.iter().map(|task| task.id).collect::<Vec<_>>(),
        [1, 2, 3, 4, 5]
    );
    assert_eq!(tasks[0].tags, ["5S"]);
    let batches = list.clone().arrow_stream().try_collect();
    let batches: Vec<_> = batches.await.expect("batches");
    assert_eq!(batches.len(), 3);
    assert_eq!(batches[2].num_rows(), 1);

    let mut stream = list.stream();
    for _ in 0..2 {
        stream.try_next().await.expect("a page").expect("a task");
    }
    client.tasks().delete(1).await.expect("deleted");
    let rest: Vec<TaskInfo> = stream.try_collect().await.expect("the rest");
    assert_eq!(
        rest.iter().map(|task| task.id).collect::<Vec<_>>(),
        [3, 4, 5]
    );
}
