//! One project, read and deleted by its number, and its milestones.

use reqwest::Method;
use serde_json::{Value, json};

use crate::projects::plant;
use crate::support::{Answer, Service};

/// The project `P 1a` of the plant.
const PROJECT: &str = "/v1/Projects/P%201a";
const MILESTONES: &str = "/v1/Projects/P%201a/milestones";

async fn with_tag(
    service: &Service,
    method: Method,
    path: &str,
    tag: &str,
    body: &Value,
) -> Answer {
    let request = service.request(method, path).header("if-match", tag);
    Answer::of(request.json(body)).await
}

async fn delete(service: &Service, path: &str) -> Answer {
    Answer::of(service.request(Method::DELETE, path)).await
}

/// Adds a milestone; its id.
async fn add(service: &Service, body: &Value) -> i64 {
    let made = service.post(MILESTONES, body).await;
    assert_eq!(made.status, 200, "{}", made.text());
    made.json()["id"].as_i64().expect("an id")
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
async fn a_project_is_read_by_its_number() {
    let service = plant().await;
    let project = service.get(PROJECT).await;
    assert_eq!(project.json()["id"], 9, "{}", project.text());
    assert_eq!(project.json(), service.get("/v1/Projects").await.json()[1]);
    let request = service.request(Method::GET, PROJECT);
    let unchanged = Answer::of(request.header("if-none-match", project.header("etag"))).await;
    assert_eq!(unchanged.status, 304);
    // The letter case of a number counts, that of the path does not.
    assert_eq!(service.get("/v1/projects/8").await.json()["id"], 8);
    for path in [
        "/v1/Projects/p%201A",
        "/v1/Projects/9",
        "/v1/Projects/P%25201a",
    ] {
        service.get(path).await.is_problem(404, "not_found");
    }
    // No UTF-8, and NUL, which PostgreSQL does not take in a text.
    for number in ["%FF", "P%001a"] {
        let path = format!("/v1/Projects/{number}");
        for answer in [
            service.get(&path).await,
            delete(&service, &path).await,
            service.get(&format!("{path}/milestones")).await,
        ] {
            let problem = answer.is_problem(400, "path.invalid");
            assert!(problem["errors"]["projectNumber"].is_array(), "{problem}");
        }
    }
}

#[tokio::test]
async fn milestones_are_added_changed_and_deleted() {
    let service = plant().await;
    let late = json!({"name": "Full rate", "plannedDate": "2026-06-15T00:00:00Z"});
    let early = json!({"Name": "First part", "plannedDate": "2026-03-02", "actualDate": "2026-03-05T12:20:00+01:00"});
    let late = add(&service, &late).await;
    let made = service.post(MILESTONES, &early).await;
    let early = made.json()["id"].as_i64().expect("an id");
    assert_eq!(
        made.json(),
        json!({
            "id": early, "projectId": 9, "name": "First part", "plannedDate": "2026-03-02T00:00:00Z",
            "actualDate": "2026-03-05T11:20:00Z",
        })
    );
    assert_eq!(
        made.header("location"),
        service.url(&format!("{MILESTONES}/{early}"))
    );
    let unplanned = add(&service, &json!({"name": "Thanks"})).await;
    let list = service.get(MILESTONES).await.json();
    let ids: Vec<_> = list
        .as_array()
        .expect("an array")
        .iter()
        .map(|it| it["id"].as_i64())
        .collect();
    // By planned date; OData orders null first.
    assert_eq!(ids, [Some(unplanned), Some(early), Some(late)]);
    assert_eq!(list[1], made.json());

    let path = format!("{MILESTONES}/{late}");
    let changed = service
        .put(
            &path,
            &json!({"name": "Full rate", "actualDate": "2026-06-12T14:00:00Z"}),
        )
        .await;
    assert_eq!(
        changed.json(),
        json!({
            "id": late, "projectId": 9, "name": "Full rate", "plannedDate": "2026-06-15T00:00:00Z",
            "actualDate": "2026-06-12T14:00:00Z",
        }),
        "an omitted date stays"
    );
    assert_eq!(
        last_change(&service).await,
        [
            format!("projects/9/milestones/{late}"),
            r#"{"after":{"actualDate":"2026-06-12T14:00:00Z"}}"#.to_owned()
        ]
    );
    // The answer as a body is no change; nor is it recorded.
    let entries = last_change(&service).await;
    let again = service.put(&path, &changed.json()).await;
    assert_eq!(again.json(), changed.json());
    assert_eq!(again.header("etag"), changed.header("etag"));
    assert_eq!(last_change(&service).await, entries);

    let body = json!({"name": "Rate", "plannedDate": null});
    let stale = with_tag(&service, Method::PUT, &path, "\"other\"", &body).await;
    stale.is_problem(412, "precondition.failed");
    let fresh = with_tag(&service, Method::PUT, &path, changed.header("etag"), &body).await;
    assert_eq!(
        fresh.json()["plannedDate"],
        Value::Null,
        "null removes a date"
    );

    let deleted = delete(&service, &path).await;
    assert_eq!((deleted.status, deleted.text().as_str()), (200, ""));
    delete(&service, &path).await.is_problem(404, "not_found");
    let next = add(&service, &json!({"name": "Next"})).await;
    assert!(next > unplanned, "an id is not used again");
}

#[tokio::test]
async fn a_milestone_belongs_to_the_project_in_the_path() {
    let service = plant().await;
    let id = add(&service, &json!({"name": "Start"})).await;
    let elsewhere = format!("/v1/Projects/8/milestones/{id}");
    let body = json!({"name": "x"});
    service
        .put(&elsewhere, &body)
        .await
        .is_problem(404, "not_found");
    delete(&service, &elsewhere)
        .await
        .is_problem(404, "not_found");
    assert_eq!(
        service.get("/v1/Projects/8/milestones").await.json(),
        json!([])
    );
    for answer in [
        service.get("/v1/Projects/none/milestones").await,
        service.post("/v1/Projects/none/milestones", &body).await,
        service.put("/v1/Projects/none/milestones/1", &body).await,
        delete(&service, "/v1/Projects/none").await,
    ] {
        let problem = answer.is_problem(404, "not_found");
        let detail = problem["detail"].as_str().expect("a text");
        assert!(detail.contains("none"), "{detail}");
    }
    service
        .put(&format!("{MILESTONES}/x"), &body)
        .await
        .is_problem(400, "path.invalid");
    for (body, field) in [
        (json!({"name": ""}), "name"),
        (json!({"name": "x", "plannedDate": "soon"}), "plannedDate"),
    ] {
        for answer in [
            service.post(MILESTONES, &body).await,
            service.put(&format!("{MILESTONES}/{id}"), &body).await,
        ] {
            let problem = answer.is_problem(400, "body.invalid");
            assert!(problem["errors"][field].is_array(), "{problem}");
        }
    }
    let refused = service
        .get(&format!("{MILESTONES}?$filter=id%20eq%201"))
        .await;
    refused.is_problem(400, "odata.option");
}

#[tokio::test]
async fn a_project_is_deleted_with_its_milestones_unless_it_is_in_use() {
    let service = plant().await;
    add(
        &service,
        &json!({"name": "Start", "plannedDate": "2026-03-02"}),
    )
    .await;
    let refer = async |sql: &'static str| {
        let done = service
            .store()
            .write(move |session| session.execute(sql, &[]));
        done.await.expect("it fits");
    };
    refer("INSERT INTO groups (id, type, name, project_id) VALUES (70, 'GENERAL', 'Team', 9)")
        .await;
    let refused = delete(&service, PROJECT).await;
    let problem = refused.is_problem(409, "project.in_use");
    assert!(
        problem["detail"]
            .as_str()
            .expect("a text")
            .contains("a group"),
        "{problem}"
    );
    assert_eq!(
        service
            .get(MILESTONES)
            .await
            .json()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    refer("UPDATE groups SET project_id = NULL WHERE id = 70").await;

    let reader = service.token_for(&["Projects.Read"]).await;
    let request = service
        .http
        .delete(service.url(PROJECT))
        .bearer_auth(&reader);
    Answer::of(request).await.is_problem(403, "scope.missing");
    let deleted = delete(&service, PROJECT).await;
    assert_eq!((deleted.status, deleted.text().as_str()), (200, ""));
    let [record, change] = last_change(&service).await;
    assert_eq!(record, "projects/9");
    assert!(
        change.contains(r#""projectNumber":"P 1a""#) && change.contains(r#""name":"Start""#),
        "{change}"
    );
    service.get(PROJECT).await.is_problem(404, "not_found");
    let left = service.store().read(|session| {
        session.first("SELECT count(*) FROM project_milestones", &[], |row| {
            row.int(0)
        })
    });
    assert_eq!(left.await.expect("read"), Some(Some(0)));
    let next = service
        .post(
            "/v1/Projects",
            &json!({"projectNumber": "P 1a", "name": "x"}),
        )
        .await;
    assert_eq!(
        next.json()["id"],
        10,
        "its id is not used again, its number is"
    );
}
