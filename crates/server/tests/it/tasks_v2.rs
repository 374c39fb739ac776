//! Tasks under /v2, with query options.

use serde_json::{Value, json};

use crate::grants_random::restricted;
use crate::incidents_plant::{accepted, plant};
use crate::support::{ALL, Service};

const LIST: &str = "/v2/tasks";

/// Board 7 has tasks 10 and 11, a part of it; incident 100 has 12, incident 102 in the trash has 13.
async fn tasks() -> Service {
    let service = plant().await;
    let filled = service.store().write(|session| {
        let sql = "INSERT INTO tasks (id, parent_id, title, status, board_id, incident_id, responsible_user_id, due_date, tags, last_modified,
                last_modified_by_user_id)
            VALUES (10, NULL, 'Clamp', 'Blocked', 7, NULL, 'u-104', 17488512000000000, '[\"5S\"]', 10, 'u-117'),
                (11, 10, 'Bolt', 'NotStarted', 7, NULL, NULL, NULL, '[]', 10, NULL),
                (12, NULL, 'Sort', 'Completed', NULL, 100, 'u-117', NULL, '[]', 10, NULL),
                (13, NULL, 'Gone', 'Completed', NULL, 102, NULL, NULL, '[]', 10, NULL)";
        session.execute(sql, &[])
    });
    filled.await.expect("the rows fit");
    service
}

async fn ids(service: &Service, query: &str) -> Vec<i64> {
    let answer = service.get(&format!("{LIST}{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    let list = answer.json();
    let list = list["value"].as_array().expect("an array").iter();
    list.map(|task| task["id"].as_i64().expect("an id"))
        .collect()
}

#[tokio::test]
async fn tasks_are_filtered_ordered_and_counted() {
    let service = tasks().await;
    for (query, expected) in [
        ("", &[10, 11, 12][..]),
        ("?$filter=status%20eq%20'Blocked'", &[10]),
        (
            "?$filter=boardId%20eq%207%20and%20parentId%20ne%20null",
            &[11],
        ),
        ("?$filter=board/name%20eq%20'Assembly%20daily'", &[10, 11]),
        ("?$filter=responsibleUser%20eq%20'Tomas%20Berg'", &[12]),
        ("?$filter=dueDate%20ge%202025-06-02", &[10]),
        ("?$orderby=title%20desc", &[12, 10, 11]),
        ("?$top=1&$skip=1", &[11]),
    ] {
        assert_eq!(ids(&service, query).await, expected, "{query}");
    }
    let counted = service
        .get(&format!("{LIST}?$count=true&$top=0"))
        .await
        .json();
    assert_eq!(counted["@odata.count"], 3);
    let selected = service
        .get(&format!("{LIST}?$select=tags&$top=1"))
        .await
        .json();
    assert_eq!(selected["value"], json!([{"tags": ["5S"]}]));
    for query in ["?$filter=tags%20eq%20'5S'", "?$orderby=tags"] {
        let problem = service.get(&format!("{LIST}{query}")).await;
        let problem = problem.is_problem(400, "odata.type");
        let detail = problem["detail"].as_str().expect("a text");
        assert!(detail.contains("`tags`, a list of texts"), "{detail}");
    }
}

#[tokio::test]
async fn one_task_has_every_property_and_its_board() {
    let service = tasks().await;
    let path = format!("{LIST}/10");
    let task = service.get(&path).await.json();
    let expected = json!({
        "id": 10, "parentId": null, "lastModified": "1970-01-01T00:00:00.000001Z", "responsibleUser": "Ingrid Solheim",
        "responsibleUserId": "u-104", "externalId": null, "boardId": 7, "title": "Clamp", "description": null, "status": "Blocked",
        "dueDate": "2025-06-02T08:00:00Z", "startDate": null, "rowCategoryId": null, "columnCategoryId": null,
        "lastModifiedByUserId": "u-117", "lastModifiedByUser": "Tomas Berg", "tags": ["5S"], "color": null,
    });
    assert_eq!(task, expected);
    let query = "?$select=id&$expand=board($select=name)";
    let expanded = service.get(&format!("{path}{query}")).await.json();
    assert_eq!(
        expanded,
        json!({"id": 10, "board": {"name": "Assembly daily"}})
    );
    for (path, expected) in [
        (
            "/v2/boards/7?$select=id&$expand=tasks($select=id,tags)",
            json!([{"id": 10, "tags": ["5S"]}, {"id": 11, "tags": []}]),
        ),
        (
            "/v2/incidents/100?$select=id&$expand=tasks($select=id)",
            json!([{"id": 12}]),
        ),
    ] {
        assert_eq!(service.get(path).await.json()["tasks"], expected, "{path}");
    }
    // Of an incident in the trash, and of nothing.
    for id in [13, 99] {
        let missing = service.get(&format!("{LIST}/{id}")).await;
        missing.is_problem(404, "not_found");
    }
}

#[tokio::test]
async fn a_task_is_found_by_its_words_as_long_as_it_has_them() {
    let service = plant().await;
    let task = json!({"title": "Oil the press", "description": "Every Monday"});
    let id = accepted(&service, "POST", "/v1/Tasks", &task).await["id"].clone();
    let id = id.as_i64().expect("an id");
    let sub = format!("/v1/Tasks/{id}/SubTasks");
    accepted(&service, "POST", &sub, &json!({"title": "Fetch oil"})).await;
    assert_eq!(ids(&service, "?$search=oil").await, [id, id + 1]);
    assert_eq!(ids(&service, "?$search=monday").await, [id]);
    let path = format!("/v1/Tasks/{id}");
    let changed = json!({"title": "Grease the press", "description": null});
    accepted(&service, "PUT", &path, &changed).await;
    assert_eq!(ids(&service, "?$search=oil").await, [id + 1]);
    assert_eq!(ids(&service, "?$search=grease").await, [id]);
    assert_eq!(ids(&service, "?$search=monday").await, Vec::<i64>::new());
    let deleted = service.request(reqwest::Method::DELETE, &path).send().await;
    assert_eq!(deleted.expect("an answer").status(), 200);
    let words = service
        .store()
        .read(|session| session.first("SELECT count(*) FROM tasks_search", &[], |row| row.int(0)));
    assert_eq!(words.await.expect("read"), Some(Some(0)));
}

#[tokio::test]
async fn a_restricted_client_lists_the_tasks_of_its_boards_and_incidents() {
    let service = tasks().await;
    let token = restricted(&service, &ALL, &["group=4"]).await;
    let list = service.get_as(Some(&token), LIST).await.json();
    let seen: Vec<&Value> = list["value"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|task| &task["id"])
        .collect();
    assert_eq!(seen, [&json!(10), &json!(11)]);
    // Other scopes do not open them.
    let token = service.token_for(&["Boards.Read"]).await;
    let refused = service.get_as(Some(&token), LIST).await;
    refused.is_problem(403, "scope.missing");
}
