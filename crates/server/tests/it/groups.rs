//! Groups that clients create and delete.

use std::fs;
use std::sync::Arc;

use obeya_server::export::{ExportOptions, export_dir};
use obeya_server::import::{ImportOptions, import_dir};
use obeya_server::store::StoreError;
use reqwest::Method;
use serde_json::{Value, json};

use crate::grants_random::restricted;
use crate::support::{ALL, Answer, Service};

const GROUPS: &str = "/v1/Groups";

/// Groups with a parent each, and what refers to some of them.
async fn plant() -> Service {
    let service = Service::start().await;
    let filled = service.store().write(|session| {
        for sql in [
            "INSERT INTO users (id, user_name, display_name) VALUES ('u-1', 'kari', 'Kari Vik')",
            "INSERT INTO projects (id, name, project_number) VALUES (8, 'New line', '8')",
            "INSERT INTO groups (id, type, name, parent_id, level, is_system_group) VALUES (1, 'BUSINESSUNIT', 'Plant', NULL, 0, 1),
                (2, 'GENERAL', 'Press shop', 1, 1, 0), (3, 'GENERAL', 'Early shift', 2, 2, 0), (4, 'GENERAL', 'Boards', NULL, NULL, 0),
                (5, 'GENERAL', 'Reporters', NULL, 0, 0), (6, 'GENERAL', 'Followers', NULL, 0, 0), (7, 'GENERAL', 'Ideas', NULL, 0, 0),
                (9, 'GENERAL', 'Members only', NULL, 0, 0)",
            "INSERT INTO group_members (group_id, user_id) VALUES (9, 'u-1')",
            "INSERT INTO boards (id, name, group_id) VALUES (1, 'Daily', 4)",
            "INSERT INTO incident_types (id, title) VALUES (3, 'Failure')",
            // One of them in the trash.
            "INSERT INTO incidents (id, incident_type_id, reported_by_group_id, follow_up_group_id, reported_date, status, severity, title, incident_date, last_modified, deleted_date)
                VALUES (1, 3, 5, NULL, 1, 'New', 'Low', 'x', 1, 1, NULL), (2, 3, NULL, 6, 1, 'New', 'Low', 'x', 1, 1, 17488512000000000)",
            "INSERT INTO improvements (id, status, group_id, last_modified) VALUES (1, 'Open', 7, 1)",
        ] {
            session.execute(sql, &[])?;
        }
        Ok::<_, StoreError>(())
    });
    filled.await.expect("the rows fit");
    service
}

async fn delete(service: &Service, id: i64) -> Answer {
    Answer::of(service.request(Method::DELETE, &format!("{GROUPS}/{id}"))).await
}

async fn last_change(service: &Service) -> [String; 3] {
    let entry = service.store().read(|session| {
        let sql =
            "SELECT operation, record, change FROM audit_entries ORDER BY number DESC LIMIT 1";
        let text = |row: &dyn obeya_server::store::Row| {
            Ok([row.string(0)?, row.string(1)?, row.string(2)?].map(Option::unwrap_or_default))
        };
        session.first(sql, &[], text)
    });
    entry.await.expect("read").expect("an entry")
}

#[tokio::test]
async fn a_group_is_created_below_its_parent_and_found_by_its_words() {
    let service = plant().await;
    let body = json!({
        "id": 2, "name": "Paint shop", "type": "PROJECT", "description": "Both booths", "parentId": 3, "projectId": 8,
        "buisnessUnitId": 77, "externalId": "HR-7",
    });
    let made = service.post(GROUPS, &body).await;
    assert_eq!(made.status, 200, "{}", made.text());
    let group = json!({
        "id": 10, "type": "PROJECT", "name": "Paint shop", "description": "Both booths", "parentId": 3, "isSystemGroup": false, "level": 3,
        "sortOrder": null, "businessUnitId": 77, "buisnessUnitId": 77, "projectId": 8, "externalId": "HR-7", "externalName": null,
        "isMember": false,
    });
    assert_eq!(made.json(), group);
    assert_eq!(made.header("location"), service.url("/v1/Groups/10"));
    assert_eq!(
        service.get("/v1/Groups?$filter=id%20eq%2010").await.json(),
        json!([group])
    );
    let found = service
        .get("/v2/groups?$search=booths&$select=id")
        .await
        .json();
    assert_eq!(found["value"], json!([{"id": 10}]));
    assert_eq!(
        last_change(&service).await,
        [
            "createGroup",
            "groups/10",
            r#"{"after":{"type":"PROJECT","name":"Paint shop","description":"Both booths","parentId":3,"level":3,"businessUnitId":77,"projectId":8,"externalId":"HR-7"}}"#,
        ]
    );
    for (body, kind, level, unit) in [
        (json!({"name": "x"}), "GENERAL", json!(0), Value::Null),
        // Below a group of unknown depth.
        (
            json!({"name": "x", "parentId": 4, "businessUnitId": 5}),
            "GENERAL",
            Value::Null,
            json!(5),
        ),
        (
            json!({"name": "x", "businessUnitId": 5, "buisnessUnitId": 5}),
            "GENERAL",
            json!(0),
            json!(5),
        ),
    ] {
        let made = service.post(GROUPS, &body).await.json();
        let fields = (
            &made["type"],
            &made["level"],
            &made["buisnessUnitId"],
            &made["businessUnitId"],
        );
        assert_eq!(fields, (&json!(kind), &level, &unit, &unit), "{body}");
    }
}

#[tokio::test]
async fn a_group_that_does_not_fit_is_refused_and_nothing_is_stored() {
    let service = plant().await;
    let before = service.get(GROUPS).await.text();
    for (body, field) in [
        (json!({"description": "x"}), "name"),
        (json!({"name": ""}), "name"),
        (json!({"name": "x", "type": "general"}), "type"),
        (json!({"name": "x", "type": null}), "type"),
        (
            json!({"name": "x", "businessUnitId": 1, "buisnessUnitId": 2}),
            "buisnessUnitId",
        ),
    ] {
        let refused = service.post(GROUPS, &body).await;
        let problem = refused.is_problem(400, "body.invalid");
        assert!(problem["errors"][field].is_array(), "{body}: {problem}");
    }
    for (body, field) in [
        (json!({"name": "x", "parentId": 99}), "parentId"),
        (json!({"name": "x", "projectId": 99}), "projectId"),
    ] {
        let refused = service.post(GROUPS, &body).await;
        let problem = refused.is_problem(422, "reference.unknown");
        assert!(problem["errors"][field].is_array(), "{body}: {problem}");
    }
    assert_eq!(service.get(GROUPS).await.text(), before);
}

#[tokio::test]
async fn a_group_goes_with_its_members_unless_something_refers_to_it() {
    let service = plant().await;
    for (id, code, word) in [
        (1, "group.system", "system"),
        (2, "group.in_use", "a group below it"),
        (4, "group.in_use", "a board"),
        (5, "group.in_use", "an incident"),
        // In the trash, from where it may come back.
        (6, "group.in_use", "an incident"),
        (7, "group.in_use", "an improvement"),
    ] {
        let refused = delete(&service, id).await;
        let problem = refused.is_problem(409, code);
        let detail = problem["detail"].as_str().expect("a text");
        assert!(detail.contains(word), "{id}: {detail}");
    }
    let made = service.post(GROUPS, &json!({"name": "Spare parts"})).await;
    assert_eq!(made.json()["id"], 10);
    // The tag of another state keeps it.
    let request = service.request(Method::DELETE, "/v1/Groups/10");
    let stale = Answer::of(request.header("if-match", "\"x\"")).await;
    stale.is_problem(412, "precondition.failed");
    let request = service.request(Method::DELETE, "/v1/Groups/10");
    let gone = Answer::of(request.header("if-match", made.header("etag"))).await;
    assert_eq!((gone.status, gone.text()), (200, String::new()));
    let found = service.get("/v2/groups?$search=spare").await.json();
    assert_eq!(found["value"], json!([]));
    delete(&service, 10).await.is_problem(404, "not_found");

    assert_eq!(delete(&service, 9).await.status, 200);
    let [operation, record, change] = last_change(&service).await;
    assert_eq!(
        (operation.as_str(), record.as_str()),
        ("deleteGroup", "groups/9")
    );
    assert!(
        change.starts_with(r#"{"before":{"type":"GENERAL","name":"Members only""#),
        "{change}"
    );
    let members = service
        .store()
        .read(|session| session.first("SELECT count(*) FROM group_members", &[], |row| row.int(0)));
    assert_eq!(members.await.expect("read"), Some(Some(0)));
    // Neither of the two ids is issued again.
    let next = service.post(GROUPS, &json!({"name": "Next"})).await;
    assert_eq!(next.json()["id"], 11);
}

#[tokio::test]
async fn a_key_and_a_restriction_hold_for_groups_too() {
    let service = plant().await;
    let body = json!({"name": "Once"});
    let post = async |token: &str| {
        let request = service.http.post(service.url(GROUPS)).bearer_auth(token);
        Answer::of(request.header("idempotency-key", "k").json(&body)).await
    };
    let token = service.token_for(&["UserManagement.ReadWrite"]).await;
    let first = post(&token).await;
    assert_eq!(first.status, 200, "{}", first.text());
    let again = post(&token).await;
    assert_eq!(
        (again.header("idempotency-replayed"), again.json()),
        ("true", first.json())
    );
    assert_eq!(delete(&service, 10).await.status, 200);
    post(&token).await.is_problem(404, "not_found");

    let reader = service.token_for(&["UserManagement.Read"]).await;
    post(&reader).await.is_problem(403, "scope.missing");
    let of_group = restricted(&service, &ALL, &["group=9"]).await;
    post(&of_group).await.is_problem(403, "grant.missing");
    let hidden = service.http.delete(service.url("/v1/Groups/3"));
    Answer::of(hidden.bearer_auth(&of_group))
        .await
        .is_problem(404, "not_found");
    let own = service.http.delete(service.url("/v1/Groups/9"));
    assert_eq!(Answer::of(own.bearer_auth(&of_group)).await.status, 200);
}

#[tokio::test]
async fn the_last_id_travels_with_an_export() {
    let service = plant().await;
    assert_eq!(
        service.post(GROUPS, &json!({"name": "x"})).await.json()["id"],
        10
    );
    assert_eq!(delete(&service, 10).await.status, 200);
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("plant");
    let done = export_dir(
        &target,
        service.db(),
        ExportOptions::default(),
        Arc::new(()),
    );
    done.await.expect("exported");
    let store = fs::read_to_string(target.join("store.jsonl")).expect("a file");
    assert!(store.contains("\"lastGroupId\":10"), "{store}");
    let copy = Service::start().await;
    let done = import_dir(&target, copy.db(), ImportOptions::default(), Arc::new(()));
    done.await.expect("imported");
    assert_eq!(
        copy.post(GROUPS, &json!({"name": "x"})).await.json()["id"],
        11
    );
}
