//! Comments on tasks.

use obeya_server::store::StoreError;
use obeya_server::store::incidents::{RETENTION_TICKS, purge};
use reqwest::Method;
use serde_json::{Value, json};

use crate::grants_random::restricted;
use crate::incidents_plant::{NOW, plant, refused};
use crate::support::{ALL, Answer, Service};

const COMMENTS: &str = "/v2/tasks/comments";

/// Task 10 is of board 7, 11 a part of it, 12 of incident 100, 13 of incident 102 in the trash. Comment 1 on
/// task 10 has the answer 2 and that the answer 3; 4 is on task 11, 5 on 12, 6 on 13.
async fn commented() -> Service {
    let service = plant().await;
    let filled = service.store().write(|session| {
        for sql in [
            "INSERT INTO tasks (id, parent_id, title, status, board_id, incident_id, last_modified) VALUES (10, NULL, 'Clamp', 'Blocked', 7, NULL, 10),
                (11, 10, 'Bolt', 'NotStarted', 7, NULL, 10), (12, NULL, 'Sort', 'Completed', NULL, 100, 10), (13, NULL, 'Gone', 'Completed', NULL, 102, 10)",
            "INSERT INTO task_comments (id, task_id, parent_id, level, text, commented_by, commented_by_user_id, comment_date)
                VALUES (1, 10, NULL, 0, 'Worn again', NULL, 'u-104', 10), (2, 10, 1, 1, 'Since when?', 'Night shift', NULL, 20),
                    (3, 10, 2, 2, 'Monday', 'Somebody', 'u-117', 30), (4, 11, NULL, 0, 'M8', NULL, NULL, 40),
                    (5, 12, NULL, 0, 'Two boxes', NULL, NULL, 50), (6, 13, NULL, 0, 'Hidden', NULL, NULL, 60)",
        ] {
            session.execute(sql, &[])?;
        }
        Ok::<_, StoreError>(())
    });
    filled.await.expect("the rows fit");
    service
}

async fn ids(service: &Service, path: &str) -> Vec<i64> {
    let answer = service.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    let list = answer.json();
    let list = list["value"].as_array().expect("an array").iter();
    list.map(|record| record["id"].as_i64().expect("an id"))
        .collect()
}

async fn number(service: &Service, sql: &'static str) -> i64 {
    let read = service
        .store()
        .read(move |session| session.first(sql, &[], |row| row.int(0)));
    let read: Result<_, StoreError> = read.await;
    read.expect("read").flatten().expect("a number")
}

async fn delete(service: &Service, path: &str, headers: &[(&str, &str)]) -> Answer {
    let request = service.request(Method::DELETE, path);
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(*name, *value)
    });
    Answer::of(request).await
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

#[tokio::test]
async fn comments_are_read_alone_of_a_task_and_with_links() {
    let service = commented().await;
    for (path, expected) in [
        ("/v2/tasks/comments", &[1, 2, 3, 4, 5][..]),
        ("/v2/taskComments", &[1, 2, 3, 4, 5]),
        ("/v2/tasks/10/comments", &[1, 2, 3]),
        (
            "/v2/tasks/10/comments?$filter=level%20gt%200&$orderby=commentDate%20desc",
            &[3, 2],
        ),
        (
            "/v2/tasks/comments?$filter=task/board/name%20eq%20'Assembly%20daily'",
            &[1, 2, 3, 4],
        ),
        (
            "/v2/tasks/comments?$filter=parent/commentedByUserId%20eq%20'u-104'",
            &[2],
        ),
        (
            "/v2/tasks/comments?$filter=contains(text,'o')&$top=2",
            &[1, 3],
        ),
        ("/v2/tasks?$filter=comments/any(c:c/level%20eq%202)", &[10]),
        ("/v2/tasks?$filter=comments/$count%20eq%201", &[11, 12]),
    ] {
        assert_eq!(ids(&service, path).await, expected, "{path}");
    }
    let comment = |id: i64,
                   parent: Value,
                   level: i64,
                   text: &str,
                   by: Value,
                   user: Value,
                   date: &str| {
        let display = if user.is_null() {
            Value::Null
        } else {
            by.clone()
        };
        json!({"id": id, "parentId": parent, "level": level, "text": text, "commentedBy": by, "commentedByUserId": user,
            "commentDate": date, "taskId": 10, "commentedByUserDisplayName": display})
    };
    // The name of a user is the present one; others have the name that was imported.
    let first = comment(
        1,
        Value::Null,
        0,
        "Worn again",
        json!("Ingrid Solheim"),
        json!("u-104"),
        "1970-01-01T00:00:00.000001Z",
    );
    let second = comment(
        2,
        json!(1),
        1,
        "Since when?",
        json!("Night shift"),
        Value::Null,
        "1970-01-01T00:00:00.000002Z",
    );
    let third = comment(
        3,
        json!(2),
        2,
        "Monday",
        json!("Tomas Berg"),
        json!("u-117"),
        "1970-01-01T00:00:00.000003Z",
    );
    assert_eq!(
        service.get("/v2/tasks/10/comments").await.json()["value"],
        json!([first, second, third])
    );
    for path in [
        "/v2/tasks/comments/2",
        "/v2/tasks/10/comments/2",
        "/v2/taskComments(2)",
    ] {
        assert_eq!(service.get(path).await.json(), second, "{path}");
    }
    let expanded = service
        .get("/v2/tasks/comments/2?$select=id&$expand=parent($select=text),task($select=id)")
        .await;
    assert_eq!(
        expanded.json(),
        json!({"id": 2, "parent": {"text": "Worn again"}, "task": {"id": 10}})
    );
    let expanded = service
        .get("/v2/tasks/11?$select=id&$expand=comments($select=text)")
        .await;
    assert_eq!(
        expanded.json(),
        json!({"id": 11, "comments": [{"text": "M8"}]})
    );

    // Of nothing, of another task, and of an incident in the trash.
    for path in [
        "/v2/tasks/comments/99",
        "/v2/tasks/comments/6",
        "/v2/tasks/10/comments/4",
        "/v2/tasks/99/comments",
        "/v2/tasks/13/comments",
        "/v2/tasks/13/comments/6",
    ] {
        service.get(path).await.is_problem(404, "not_found");
        if !path.ends_with("comments") {
            delete(&service, path, &[])
                .await
                .is_problem(404, "not_found");
        }
    }
    assert_eq!(
        number(&service, "SELECT count(*) FROM task_comments").await,
        6
    );
}

#[tokio::test]
async fn a_comment_is_added_answered_and_found_by_its_words() {
    let service = commented().await;
    let body =
        json!({"taskId": 11, "comment": "Order a longer bolt", "mentions": ["u-104", "u-117"]});
    let answer = service.post(COMMENTS, &body).await;
    let expected = json!({"id": 7, "parentId": null, "level": 0, "text": "Order a longer bolt", "commentedBy": null,
        "commentedByUserId": null, "commentDate": NOW, "taskId": 11, "commentedByUserDisplayName": null});
    assert_eq!(answer.json(), expected, "{}", answer.text());
    assert_eq!(
        answer.header("location"),
        service.url("/v2/tasks/comments/7")
    );
    assert_eq!(
        last_change(&service).await,
        json!(["createTaskComment", "tasks/11/comments/7", {"after": {"text": "Order a longer bolt"}}])
    );
    let read = service.get("/v2/tasks/11/comments/7").await;
    assert_eq!(
        (read.json(), read.header("etag")),
        (expected, answer.header("etag"))
    );

    // Tools of OData post to the name of the set.
    let reply = json!({"taskId": 10, "parentId": 3, "comment": "So order two bolts"});
    let reply = service.post("/v2/taskComments", &reply).await;
    assert_eq!(
        reply.header("location"),
        service.url("/v2/tasks/comments/8")
    );
    let reply = reply.json();
    assert_eq!(
        [&reply["parentId"], &reply["level"]],
        [&json!(3), &json!(3)]
    );
    assert_eq!(
        ids(&service, "/v2/tasks/comments?$search=order").await,
        [7, 8]
    );
    assert_eq!(
        ids(&service, "/v2/tasks/10/comments?$search=%22two%20bolts%22").await,
        [8]
    );

    // The task does not change with its comments.
    assert_eq!(
        number(&service, "SELECT last_modified FROM tasks WHERE id = 11").await,
        10
    );
    // A repeated request adds nothing.
    let send = async || {
        let request = service
            .request(Method::POST, COMMENTS)
            .header("idempotency-key", "k-1");
        Answer::of(request.json(&body)).await
    };
    let (first, again) = (send().await, send().await);
    assert_eq!(
        (again.json(), again.header("idempotency-replayed")),
        (first.json(), "true")
    );
    assert_eq!(
        number(&service, "SELECT count(*) FROM task_comments").await,
        9
    );
}

#[tokio::test]
async fn a_body_that_names_what_is_not_there_is_refused() {
    let service = commented().await;
    let with =
        |more: Value| crate::incidents_plant::with(json!({"taskId": 10, "comment": "x"}), &more);
    for (body, status, code, errors) in [
        (
            with(json!({"taskId": 99})),
            422,
            "reference.unknown",
            json!({"taskId": ["there is no task 99"]}),
        ),
        (
            with(json!({"taskId": 13})),
            422,
            "reference.unknown",
            json!({"taskId": ["there is no task 13"]}),
        ),
        (
            with(json!({"parentId": 4})),
            422,
            "reference.unknown",
            json!({"parentId": ["task 10 has no comment 4"]}),
        ),
        (
            with(json!({"parentId": 99})),
            422,
            "reference.unknown",
            json!({"parentId": ["task 10 has no comment 99"]}),
        ),
        // Of comments on a task that is not there nothing is said.
        (
            with(json!({"taskId": 13, "parentId": 6})),
            422,
            "reference.unknown",
            json!({"taskId": ["there is no task 13"]}),
        ),
        (
            with(json!({"mentions": ["u-104", "u-999"]})),
            422,
            "reference.unknown",
            json!({"mentions[1]": ["there is no user `u-999`"]}),
        ),
        (
            with(json!({"comment": ""})),
            400,
            "body.invalid",
            json!({"comment": ["expected at least 1 character, found none"]}),
        ),
    ] {
        let problem = refused(&service, "POST", COMMENTS, &body, status, code).await;
        assert_eq!(problem["errors"], errors, "{body}");
    }
    let many = with(json!({"mentions": vec!["u-104"; 101]}));
    let problem = refused(&service, "POST", COMMENTS, &many, 400, "body.invalid").await;
    assert!(problem["errors"].get("mentions").is_some(), "{problem}");
    assert_eq!(
        number(&service, "SELECT count(*) FROM task_comments").await,
        6
    );
}

#[tokio::test]
async fn a_comment_is_deleted_with_the_answers_to_it() {
    let service = commented().await;
    for text in ["Worn", "Loose"] {
        service
            .post(
                COMMENTS,
                &json!({"taskId": 10, "parentId": 2, "comment": text}),
            )
            .await;
    }
    let read = service.get("/v2/tasks/comments/2").await;
    let path = "/v2/tasks/10/comments/2";
    let stale = delete(&service, path, &[("if-match", "\"other\"")]).await;
    stale.is_problem(412, "precondition.failed");
    let headers = [
        ("if-match", read.header("etag")),
        ("idempotency-key", "k-1"),
    ];
    let deleted = delete(&service, path, &headers).await;
    assert_eq!((deleted.status, deleted.text()), (200, String::new()));
    assert_eq!(ids(&service, "/v2/tasks/comments").await, [1, 4, 5]);
    assert_eq!(
        number(&service, "SELECT count(*) FROM task_comments_search").await,
        0
    );
    let entry = last_change(&service).await;
    assert_eq!(
        [&entry[0], &entry[1]],
        [&json!("deleteCommentOfTask"), &json!("tasks/10/comments/2")]
    );
    let before = &entry[2]["before"];
    assert_eq!(before["text"], "Since when?");
    let answers = before["answers"].as_array().expect("answers").iter();
    let answers: Vec<_> = answers.map(|answer| answer["id"].as_i64()).collect();
    assert_eq!(answers, [Some(3), Some(7), Some(8)]);
    // Again: the first answer. Without the key it finds nothing.
    let again = delete(&service, path, &headers).await;
    assert_eq!(
        (again.status, again.header("idempotency-replayed")),
        (200, "true")
    );
    delete(&service, path, &[])
        .await
        .is_problem(404, "not_found");

    assert_eq!(
        delete(&service, "/v2/tasks/comments/4", &[]).await.status,
        200
    );
    assert_eq!(last_change(&service).await[0], "deleteTaskComment");
    // An id is not used again.
    let next = service
        .post(COMMENTS, &json!({"taskId": 10, "comment": "x"}))
        .await;
    assert_eq!(next.json()["id"], 9);
}

#[tokio::test]
async fn comments_go_with_their_task_and_with_its_incident() {
    let service = commented().await;
    for task in [10, 11, 12] {
        let answer = service
            .post(COMMENTS, &json!({"taskId": task, "comment": "Seen"}))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    // With the sub-task 11, by either generation.
    assert_eq!(delete(&service, "/v1/Tasks/10", &[]).await.status, 200);
    assert_eq!(ids(&service, "/v2/tasks/comments").await, [5, 9]);
    assert_eq!(
        number(&service, "SELECT count(*) FROM task_comments_search").await,
        1
    );
    let trashed = delete(&service, "/v1/Incidents/100", &[]).await;
    assert_eq!(trashed.status, 200);
    assert_eq!(ids(&service, "/v2/tasks/comments").await, Vec::<i64>::new());
    assert_eq!(
        ids(&service, "/v2/tasks/comments?$search=seen").await,
        Vec::<i64>::new()
    );
    purge(service.store(), i64::MAX - RETENTION_TICKS)
        .await
        .expect("a purge");
    for sql in [
        "SELECT count(*) FROM task_comments",
        "SELECT count(*) FROM task_comments_search",
    ] {
        assert_eq!(number(&service, sql).await, 0, "{sql}");
    }
}

#[tokio::test]
async fn a_restricted_client_sees_the_comments_on_its_tasks() {
    let service = commented().await;
    let token = restricted(&service, &ALL, &["group=4"]).await;
    let list = service.get_as(Some(&token), COMMENTS).await.json();
    let seen: Vec<_> = list["value"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|one| one["id"].as_i64())
        .collect();
    assert_eq!(seen, [Some(1), Some(2), Some(3), Some(4)]);
    let hidden = service.get_as(Some(&token), "/v2/tasks/comments/5").await;
    hidden.is_problem(404, "not_found");
    let request = service.http.post(service.url(COMMENTS)).bearer_auth(&token);
    let problem = Answer::of(request.json(&json!({"taskId": 12, "comment": "x"}))).await;
    let problem = problem.is_problem(422, "reference.unknown");
    assert_eq!(
        problem["errors"],
        json!({"taskId": ["there is no task 12"]})
    );
    let request = service
        .http
        .delete(service.url("/v2/tasks/comments/5"))
        .bearer_auth(&token);
    Answer::of(request).await.is_problem(404, "not_found");

    // A client that only writes sees what it set, and what every comment has.
    let token = service
        .token_for(&["Boards.Read", "public.api.write"])
        .await;
    let request = service.http.post(service.url(COMMENTS)).bearer_auth(&token);
    let answer =
        Answer::of(request.json(&json!({"taskId": 10, "parentId": 1, "comment": "x"}))).await;
    let answer = answer.json();
    assert_eq!(
        [&answer["parentId"], &answer["level"], &answer["text"]],
        [&json!(1), &json!(1), &json!("x")]
    );
}
