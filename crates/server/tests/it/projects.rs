//! Projects: lists, new ones, and what an import and an export make of them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use obeya_server::export::{ExportOptions, export_dir};
use obeya_server::import::{ImportOptions, OnConflict, import_dir};
use obeya_server::store::StoreError;
use serde_json::{Value, json};

use crate::support::{Answer, Service};

const PROJECTS: &str = "/v1/Projects";

/// Two projects, one as earlier versions of the service had it, and users with e-mail addresses.
pub async fn plant() -> Service {
    let service = Service::start().await;
    let filled = service.store().write(|session| {
        for sql in [
            "INSERT INTO users (id, user_name, display_name, email) VALUES ('u-1', 'kari', 'Kari Vik', 'Kari.Vik@plant.example'),
                ('u-2', 'ola', 'Ola Berg', 'ola@plant.example'), ('u-3', 'per', 'Per Moe', NULL)",
            "INSERT INTO projects (id, name, project_number) VALUES (8, 'New line', '8')",
            "INSERT INTO projects (id, name, project_number, status, description, customer_name, start_date, estimated_end_date)
                VALUES (9, 'Ramp-up', 'P 1a', 'Active', 'To full rate', 'Fjord', 17488512000000000, 17488512000000000)",
        ] {
            session.execute(sql, &[])?;
        }
        Ok::<_, StoreError>(())
    });
    filled.await.expect("the rows fit");
    service
}

async fn numbers(service: &Service, path: &str) -> Vec<String> {
    let answer = service.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    let records = answer.json();
    let records = records.as_array().expect("an array").iter();
    let number = |record: &Value| record["projectNumber"].as_str().expect("a text").to_owned();
    records.map(number).collect()
}

#[tokio::test]
async fn projects_are_filtered_and_ordered() {
    let service = plant().await;
    assert_eq!(numbers(&service, PROJECTS).await, ["8", "P 1a"]);
    assert_eq!(
        numbers(&service, "/v1/projects?$orderby=status%20desc").await,
        ["P 1a", "8"]
    );
    for (filter, expected) in [
        ("projectNumber%20eq%20'P%201a'", "P 1a"),
        ("startDate%20ge%202025-06-02T08:00:00Z", "P 1a"),
        ("status%20eq%20null", "8"),
    ] {
        assert_eq!(
            numbers(&service, &format!("{PROJECTS}?$filter={filter}")).await,
            [expected]
        );
    }
    assert_eq!(
        service.get(PROJECTS).await.json()[1],
        json!({
            "id": 9, "projectNumber": "P 1a", "status": "Active", "externalId": null, "name": "Ramp-up", "description": "To full rate",
            "customerNumber": null, "customerName": "Fjord", "createdDate": null, "startDate": "2025-06-02T08:00:00Z", "endDate": null,
            "estimatedStartDate": null, "estimatedEndDate": "2025-06-02T08:00:00Z",
        })
    );
    let elsewhere = service.token_for(&["Data.Read"]).await;
    let refused = service.get_as(Some(&elsewhere), PROJECTS).await;
    refused.is_problem(403, "scope.missing");
    let reader = service.token_for(&["Projects.Read"]).await;
    assert_eq!(service.get_as(Some(&reader), PROJECTS).await.status, 200);
}

#[tokio::test]
async fn a_project_is_created_with_its_members() {
    let service = plant().await;
    let body = json!({
        "projectNumber": "Ø-7 %", "name": "Paint shop", "status": "Planned", "description": "Two booths", "externalId": "e-1",
        "customerNumber": "C-1", "startDate": "2025-07-01T06:00:00+02:00", "endDate": "2025-07-01T04:00:00Z",
        "estimatedStartDate": "2025-07-01", "estimatedEndDate": "2025-08-01T00:00:00Z",
        "ownerEmail": "kari.vik@PLANT.example", "membersEmail": ["ola@plant.example", "Kari.Vik@plant.example", "ola@plant.example"],
    });
    let made = service.post(PROJECTS, &body).await;
    assert_eq!(made.status, 200, "{}", made.text());
    assert_eq!(
        made.json(),
        json!({
            "id": 10, "projectNumber": "Ø-7 %", "status": "Planned", "externalId": "e-1", "name": "Paint shop", "description": "Two booths",
            "customerNumber": "C-1", "customerName": null, "createdDate": "2025-06-02T08:00:00Z", "startDate": "2025-07-01T04:00:00Z",
            "endDate": "2025-07-01T04:00:00Z", "estimatedStartDate": "2025-07-01T00:00:00Z", "estimatedEndDate": "2025-08-01T00:00:00Z",
        })
    );
    assert_eq!(
        made.header("location"),
        service.url("/v1/Projects/%C3%98-7%20%25")
    );
    assert_eq!(service.get(PROJECTS).await.json()[2], made.json());
    let members = service.store().read(|session| {
        let sql =
            "SELECT user_id, role FROM project_members WHERE project_id = 10 ORDER BY user_id";
        session.all(sql, &[], |row| {
            Ok([row.string(0)?, row.string(1)?].map(Option::unwrap_or_default))
        })
    });
    assert_eq!(
        members.await.expect("read"),
        [["u-1", "Owner"], ["u-2", "Member"]]
    );
    let entry = service.store().read(|session| {
        let sql = "SELECT record, change FROM audit_entries ORDER BY number DESC LIMIT 1";
        session.first(sql, &[], |row| {
            Ok([row.string(0)?, row.string(1)?].map(Option::unwrap_or_default))
        })
    });
    let [record, change] = entry.await.expect("read").expect("an entry");
    assert_eq!(record, "projects/10");
    assert!(
        change.contains(r#""members":{"u-1":"Owner","u-2":"Member"}"#)
            && change.contains(r#""projectNumber":"Ø-7 %""#)
            && change.contains(r#""startDate":"2025-07-01T04:00:00Z""#)
            // Addresses are no part of a project.
            && !change.contains("plant.example"),
        "{change}"
    );
    // What is required is enough, and another case is another number.
    let least = service
        .post(PROJECTS, &json!({"projectNumber": "ø-7 %", "name": "x"}))
        .await;
    assert_eq!(least.status, 200, "{}", least.text());
    assert_eq!(least.json()["status"], Value::Null);
}

#[tokio::test]
async fn a_project_that_does_not_fit_is_refused_and_nothing_is_stored() {
    let service = plant().await;
    let with = |more: Value| {
        let mut body = json!({"projectNumber": "P-2", "name": "x"});
        let members = body.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        body
    };
    let taken = service
        .post(PROJECTS, &with(json!({"projectNumber": "8"})))
        .await;
    taken.is_problem(409, "project.number_exists");
    for (more, field) in [
        (json!({"ownerEmail": "nobody@plant.example"}), "ownerEmail"),
        (json!({"ownerEmail": ""}), "ownerEmail"),
        (
            json!({"membersEmail": ["ola@plant.example", "u-1"]}),
            "membersEmail[1]",
        ),
    ] {
        let refused = service.post(PROJECTS, &with(more)).await;
        let problem = refused.is_problem(422, "reference.unknown");
        assert_eq!(
            problem["errors"].as_object().map(serde_json::Map::len),
            Some(1),
            "{problem}"
        );
        assert!(problem["errors"][field].is_array(), "{problem}");
    }
    for (more, field) in [
        (json!({"projectNumber": ""}), "projectNumber"),
        (json!({"projectNumber": "a/b"}), "projectNumber"),
        (json!({"projectNumber": "."}), "projectNumber"),
        (json!({"projectNumber": ".."}), "projectNumber"),
        (json!({"projectNumber": "ø".repeat(256)}), "projectNumber"),
        (json!({"name": ""}), "name"),
        (json!({"status": "ø".repeat(256)}), "status"),
        (
            json!({"startDate": "2025-07-02T00:00:00Z", "endDate": "2025-07-01T23:59:59.9999999Z"}),
            "endDate",
        ),
        (
            json!({"estimatedStartDate": "2025-07-02", "estimatedEndDate": "2025-07-01"}),
            "estimatedEndDate",
        ),
        (json!({"membersEmail": vec!["x"; 1001]}), "membersEmail"),
    ] {
        let refused = service.post(PROJECTS, &with(more)).await;
        let problem = refused.is_problem(400, "body.invalid");
        assert!(problem["errors"][field].is_array(), "{problem}");
    }
    assert_eq!(numbers(&service, PROJECTS).await, ["8", "P 1a"]);
}

#[tokio::test]
async fn a_project_is_created_once_under_a_key_and_by_a_client_that_cannot_read() {
    let service = plant().await;
    let body = json!({"projectNumber": "P-2", "name": "x", "status": "Planned", "ownerEmail": "ola@plant.example"});
    let post = async |token: &str, body: &Value| {
        let request = service.http.post(service.url(PROJECTS)).bearer_auth(token);
        Answer::of(request.header("idempotency-key", "k").json(body)).await
    };
    let token = service.token_for(&["public.api.write"]).await;
    let first = post(&token, &body).await;
    assert_eq!(first.status, 200, "{}", first.text());
    let record = first.json();
    // What it has set, and nothing else that may be empty.
    assert_eq!(
        (
            &record["status"],
            &record["createdDate"],
            &record["projectNumber"]
        ),
        (&json!("Planned"), &Value::Null, &json!("P-2"))
    );
    let again = post(&token, &body).await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.json(), record);
    assert_eq!(numbers(&service, PROJECTS).await.len(), 3);
    let other = post(&token, &json!({"projectNumber": "P-3", "name": "x"})).await;
    other.is_problem(422, "idempotency.mismatch");
}

async fn import(service: &Service, folder: &Path, on_conflict: OnConflict) -> Result<(), String> {
    let options = ImportOptions {
        on_conflict,
        ..ImportOptions::default()
    };
    let done = import_dir(folder, service.db(), options, Arc::new(())).await;
    done.map(drop).map_err(|fault| fault.to_string())
}

fn write(folder: &Path, lines: &[Value]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(folder.join("projects.jsonl"), text).expect("a file");
}

#[tokio::test]
async fn what_is_exported_is_imported_with_milestones_members_and_the_last_id() {
    let service = plant().await;
    let filled = service.store().write(|session| {
        for sql in [
            "INSERT INTO project_milestones (id, project_id, name, planned_date, actual_date) VALUES (4, 9, 'Start', 17488512000000000, NULL), (2, 9, 'End', NULL, 5)",
            "INSERT INTO project_members (project_id, user_id, role) VALUES (9, 'u-2', 'Viewer'), (9, 'u-1', 'Owner')",
        ] {
            session.execute(sql, &[])?;
        }
        Ok::<_, StoreError>(())
    });
    filled.await.expect("the rows fit");
    let body = json!({"projectNumber": "P-2", "name": "x"});
    assert_eq!(service.post(PROJECTS, &body).await.json()["id"], 10);
    let folder = tempfile::tempdir().expect("a folder");
    let first = folder.path().join("first");
    let options = ExportOptions::default();
    export_dir(&first, service.db(), options, Arc::new(()))
        .await
        .expect("exported");
    let projects = fs::read_to_string(first.join("projects.jsonl")).expect("a file");
    assert!(
        projects.contains(r#"{"id":8,"name":"New line","projectNumber":"8"}"#)
            && projects.contains(r#""milestones":[{"id":2,"name":"End","actualDate":"1970-01-01T00:00:00.0000005Z"},{"id":4,"name":"Start","plannedDate":"2025-06-02T08:00:00Z"}]"#)
            && projects.contains(r#""members":[{"userId":"u-1","role":"Owner"},{"userId":"u-2","role":"Viewer"}]"#),
        "{projects}"
    );
    let copy = Service::start().await;
    import(&copy, &first, OnConflict::Fail)
        .await
        .expect("imported");
    let second = folder.path().join("second");
    export_dir(&second, copy.db(), options, Arc::new(()))
        .await
        .expect("exported");
    for name in ["projects.jsonl", "store.jsonl", "users.jsonl"] {
        let read = |folder: &Path| fs::read_to_string(folder.join(name)).expect("a file");
        assert_eq!(read(&first), read(&second), "{name}");
    }
    // A replaced project has the milestones and members of its line, and its number is free for others.
    let other = folder.path().join("other");
    fs::create_dir(&other).expect("a folder");
    let replaced = json!({"id": 9, "name": "Ramp-up", "milestones": [{"id": 4, "name": "Again"}]});
    write(
        &other,
        &[
            replaced,
            json!({"id": 3, "name": "Old", "projectNumber": "P 1-a"}),
        ],
    );
    import(&copy, &other, OnConflict::Replace)
        .await
        .expect("replaced");
    assert_eq!(numbers(&copy, PROJECTS).await, ["P 1-a", "8", "9", "P-2"]);
    let left = copy.store().read(|session| {
        let sql = "SELECT (SELECT count(*) FROM project_milestones) * 10 + (SELECT count(*) FROM project_members)";
        session.first(sql, &[], |row| row.int(0))
    });
    assert_eq!(left.await.expect("read"), Some(Some(10)));
}

#[tokio::test]
async fn a_wrong_line_is_named() {
    let service = plant().await;
    let folder = tempfile::tempdir().expect("a folder");
    let milestone = |id: i32, name: &str| json!({"id": id, "name": name});
    for (line, fault) in [
        (
            json!({"id": 1, "name": "x", "projectNumber": "8"}),
            "field projectNumber: found \"8\", the number of project 8, expected a number of no other project",
        ),
        (
            json!({"id": 1, "name": "x", "projectNumber": "a/b"}),
            "field projectNumber: found \"a/b\", expected a text without /",
        ),
        (
            json!({"id": 1, "name": "x", "projectNumber": ".."}),
            "field projectNumber: found \"..\", expected another text than . or .., which no address can contain",
        ),
        (
            json!({"id": 1, "name": "x", "projectNumber": ""}),
            "field projectNumber: found an empty text, expected at least one character",
        ),
        (
            json!({"id": 1, "name": "x", "milestones": [milestone(20, "a"), milestone(20, "b")]}),
            "field milestones[1].id: found 20 twice, expected each id once",
        ),
        (
            json!({"id": 1, "name": "x", "milestones": [milestone(20, "")]}),
            "field milestones[0].name: found an empty text, expected at least one character",
        ),
        (
            json!({"id": 1, "name": "x", "members": [{"userId": "u-9", "role": "Owner"}]}),
            "field members[0].userId: found \"u-9\", expected the id of a user in the folder or in the database",
        ),
        (
            json!({"id": 1, "name": "x", "members": [{"userId": "u-1", "role": "Owner"}, {"userId": "u-1", "role": "Member"}]}),
            "field members[1].userId: found \"u-1\" twice, expected each user once",
        ),
    ] {
        write(folder.path(), &[line]);
        let found = import(&service, folder.path(), OnConflict::Fail).await;
        assert_eq!(found, Err(format!("projects.jsonl, line 1, {fault}")));
    }
    assert_eq!(numbers(&service, PROJECTS).await, ["8", "P 1a"]);
}
