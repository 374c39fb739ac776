//! The members of a group and their roles: listed, changed, exported and imported.

use std::fs;
use std::sync::Arc;

use obeya_server::export::{ExportOptions, export_dir};
use obeya_server::import::{ImportOptions, import_dir};
use reqwest::Method;
use serde_json::{Value, json};

use crate::grants_random::restricted;
use crate::incidents_plant::{least_update, plant, refused, with};
use crate::support::{ALL, Answer, Service};

const MEMBERS: &str = "/v1/Groups/4/members";

async fn put(service: &Service, user: &str, role: &str) -> Answer {
    let body = json!({"userId": user, "groupRole": role});
    Answer::of(service.request(Method::PUT, MEMBERS).json(&body)).await
}

async fn delete(service: &Service, path: &str) -> Answer {
    Answer::of(service.request(Method::DELETE, path)).await
}

/// User and role of each member.
async fn members(service: &Service) -> Vec<(String, String)> {
    let listed = service.get(MEMBERS).await;
    assert_eq!(listed.status, 200, "{}", listed.text());
    let listed = listed.json();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let listed = listed.as_array().expect("an array").iter();
    listed
        .map(|it| (text(&it["userId"]), text(&it["groupRole"])))
        .collect()
}

/// The changes of members in the audit log: operation, record and change of each.
async fn audit(service: &Service) -> Vec<[String; 3]> {
    let entries = service.store().read(|session| {
        let sql = "SELECT operation, record, change FROM audit_entries WHERE record LIKE 'groups/%' ORDER BY number";
        session.all(sql, &[], |row| {
            Ok([row.string(0)?, row.string(1)?, row.string(2)?].map(Option::unwrap_or_default))
        })
    });
    entries.await.expect("read")
}

#[tokio::test]
async fn members_are_added_changed_and_removed() {
    let service = plant().await;
    let member = json!({"userName": "ingrid.solheim", "azureObjectId": null, "groupId": 4, "userId": "u-104", "groupRole": "Member"});
    assert_eq!(service.get(MEMBERS).await.json(), json!([member]));

    let added = put(&service, "u-117", "Viewer").await;
    assert_eq!((added.status, added.text()), (200, String::new()));
    // The same again changes nothing.
    assert_eq!(put(&service, "u-117", "Viewer").await.status, 200);
    assert_eq!(put(&service, "u-104", "Owner").await.status, 200);
    let both = [("u-104", "Owner"), ("u-117", "Viewer")];
    let both = both.map(|(user, role)| (user.to_owned(), role.to_owned()));
    assert_eq!(members(&service).await, both);
    let group = service.get("/v2/groups/4?$expand=users").await.json();
    assert_eq!(
        group["users"][1],
        json!({"id": "u-117", "userName": "tomas.berg", "displayName": "Tomas Berg", "groupId": 4, "userId": "u-117", "role": "Viewer"})
    );
    let owners = service
        .get("/v2/groups?$select=id&$filter=users/any(u:u/role%20eq%20'Owner')")
        .await;
    assert_eq!(owners.json()["value"], json!([{"id": 4}]));

    let removed = delete(&service, "/v1/groups/4/members/u%2D117").await;
    assert_eq!((removed.status, removed.text()), (200, String::new()));
    assert_eq!(members(&service).await, both[..1]);

    // The record names no user: an erasure could not remove it from there.
    let record = "groups/4/members";
    let expected = [
        (
            "putGroupMember",
            r#"{"after":{"member":{"userId":"u-117","groupRole":"Viewer"}}}"#,
        ),
        (
            "putGroupMember",
            r#"{"before":{"member":{"userId":"u-104","groupRole":"Member"}},"after":{"member":{"userId":"u-104","groupRole":"Owner"}}}"#,
        ),
        (
            "removeGroupMember",
            r#"{"before":{"member":{"userId":"u-117","groupRole":"Viewer"}}}"#,
        ),
    ];
    let expected =
        expected.map(|(operation, change)| [operation, record, change].map(str::to_owned));
    assert_eq!(audit(&service).await, expected);
}

#[tokio::test]
async fn a_member_that_does_not_fit_is_refused() {
    let service = plant().await;
    let before = members(&service).await;
    for (body, field) in [
        (json!({"groupRole": "Member"}), "userId"),
        (json!({"userId": "u-117"}), "groupRole"),
        (
            json!({"userId": "u-117", "groupRole": "member"}),
            "groupRole",
        ),
        (json!({"userId": "u-117", "groupRole": null}), "groupRole"),
    ] {
        let refused = Answer::of(service.request(Method::PUT, MEMBERS).json(&body)).await;
        let problem = refused.is_problem(400, "body.invalid");
        assert!(problem["errors"][field].is_array(), "{body}: {problem}");
    }
    let unknown = put(&service, "u-999", "Member").await;
    let problem = unknown.is_problem(422, "reference.unknown");
    assert_eq!(
        problem["errors"]["userId"],
        json!(["there is no user `u-999`"])
    );

    let body = json!({"userId": "u-117", "groupRole": "Member"});
    let nowhere = service.request(Method::PUT, "/v1/Groups/99/members");
    Answer::of(nowhere.json(&body))
        .await
        .is_problem(404, "not_found");
    service
        .get("/v1/Groups/99/members")
        .await
        .is_problem(404, "not_found");
    for (path, status, code) in [
        ("/v1/Groups/99/members/u-104", 404, "not_found"),
        ("/v1/Groups/4/members/u-117", 404, "not_found"),
        ("/v1/Groups/4/members/U-104", 404, "not_found"),
        ("/v1/Groups/x/members/u-104", 400, "path.invalid"),
        ("/v1/Groups/4/members/%FF", 400, "path.invalid"),
        ("/v1/Groups/4/members/u%00", 400, "path.invalid"),
    ] {
        let problem = delete(&service, path).await.is_problem(status, code);
        if code == "path.invalid" && !path.contains("/x/") {
            assert!(problem["errors"]["userId"].is_array(), "{path}: {problem}");
        }
    }
    assert_eq!(members(&service).await, before);
    assert_eq!(audit(&service).await, Vec::<[String; 3]>::new());
}

#[tokio::test]
async fn one_who_only_views_a_group_is_not_responsible_for_its_incidents() {
    let service = plant().await;
    let responsible = with(
        least_update(),
        &json!({"followUpGroupId": 4, "responsibleUserId": "u-104"}),
    );
    let path = "/v1/Incidents/100";
    for (role, is_allowed) in [("Owner", true), ("Viewer", false), ("Member", true)] {
        assert_eq!(put(&service, "u-104", role).await.status, 200);
        if is_allowed {
            let changed = Answer::of(service.request(Method::PUT, path).json(&responsible)).await;
            assert_eq!(changed.status, 200, "{role}: {}", changed.text());
        } else {
            let code = "responsible.not_member";
            refused(&service, "PUT", path, &responsible, 422, code).await;
        }
    }
}

#[tokio::test]
async fn a_client_sees_the_members_of_its_groups_only() {
    let service = plant().await;
    let token = restricted(&service, &ALL, &["group=5"]).await;
    let ask = async |method: Method, path: &str| {
        let request = service.http.request(method, service.url(path));
        let body = json!({"userId": "u-117", "groupRole": "Owner"});
        Answer::of(request.bearer_auth(&token).json(&body)).await
    };
    assert_eq!(ask(Method::GET, "/v1/Groups/5/members").await.status, 200);
    assert_eq!(ask(Method::PUT, "/v1/Groups/5/members").await.status, 200);
    for (method, path) in [
        (Method::GET, MEMBERS),
        (Method::PUT, MEMBERS),
        (Method::DELETE, "/v1/Groups/4/members/u-104"),
    ] {
        ask(method, path).await.is_problem(404, "not_found");
    }
    let reader = service.token_for(&["UserManagement.Read"]).await;
    let request = service
        .http
        .delete(service.url("/v1/Groups/4/members/u-104"));
    Answer::of(request.bearer_auth(&reader))
        .await
        .is_problem(403, "scope.missing");
    assert_eq!(members(&service).await.len(), 1);
}

/// A `Member` is exported as earlier versions did, by the id of the group alone.
#[tokio::test]
async fn roles_survive_an_export_and_an_import() {
    let service = plant().await;
    assert_eq!(put(&service, "u-104", "Owner").await.status, 200);
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("plant");
    let done = export_dir(
        &target,
        service.db(),
        ExportOptions::default(),
        Arc::new(()),
    );
    done.await.expect("exported");
    let users = fs::read_to_string(target.join("users.jsonl")).expect("a file");
    let groups = |user: usize| {
        let line: Value =
            serde_json::from_str(users.lines().nth(user).expect("a line")).expect("JSON");
        line["groups"].clone()
    };
    assert_eq!(groups(0), json!([{"id": 4, "role": "Owner"}]));
    assert_eq!(groups(1), json!([5]));

    let copy = Service::start().await;
    let done = import_dir(&target, copy.db(), ImportOptions::default(), Arc::new(()));
    done.await.expect("imported");
    assert_eq!(members(&copy).await, members(&service).await);
}
