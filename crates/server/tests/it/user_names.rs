//! The `userName` of users that a query option adds, for clients that may not read users.

use serde_json::{Value, json};

use super::incidents_plant::plant;
use crate::support::Service;

/// Board 7 is of group 4, whose members are `u-104` (ingrid.solheim) and `u-117` (tomas.berg); board 8 is of
/// none.
async fn service() -> Service {
    let service = plant().await;
    let added = service.store().write(|session| {
        let sql = "UPDATE incidents SET responsible_user_id = 'u-104', last_modified_by_user_id = 'u-104' WHERE id = 100";
        session.execute(sql, &[])?;
        let sql = "INSERT INTO group_members (group_id, user_id) VALUES (4, 'u-117')";
        session.execute(sql, &[])
    });
    let added: Result<u64, obeya_server::store::StoreError> = added.await;
    assert_eq!(added.expect("added"), 1);
    service
}

/// A path, what a client that reads users gets, and what others get: the part of the answer at a pointer.
struct Case {
    path: &'static str,
    pointer: &'static str,
    seen: Value,
    unseen: Value,
}

fn cases() -> Vec<Case> {
    let case = |path, pointer, seen, unseen| Case {
        path,
        pointer,
        seen,
        unseen,
    };
    let user = |id: &str, user_name: Option<&str>, name: &str| json!({"id": id, "userName": user_name, "displayName": name, "groupId": 4, "userId": id, "role": "Member"});
    let members = |names: [Option<&str>; 2]| {
        json!([
            user("u-104", names[0], "Ingrid Solheim"),
            user("u-117", names[1], "Tomas Berg")
        ])
    };
    let all = members([Some("ingrid.solheim"), Some("tomas.berg")]);
    let nameless = members([None, None]);
    let ids = |ids: &[&str]| Value::from_iter(ids.iter().map(|id| json!({"id": id})));
    let board = |id: i32| json!({"id": id});
    vec![
        case(
            "/v2/boards/7?$expand=group($expand=users)",
            "/group/users",
            all.clone(),
            nameless.clone(),
        ),
        case(
            "/v2/boards?$filter=id eq 7&$expand=*($expand=*)",
            "/value/0/group/users",
            all.clone(),
            nameless.clone(),
        ),
        case("/v2/boards/7/group?$expand=users", "/users", all, nameless),
        case(
            "/v2/boards/7?$expand=group($expand=users($select=userName;$top=1))",
            "/group/users",
            json!([{"userName": "ingrid.solheim"}]),
            json!([{"userName": null}]),
        ),
        case(
            "/v2/boards?$select=id&$filter=group/users/any(u:u/userName eq 'tomas.berg')",
            "/value",
            json!([board(7)]),
            json!([]),
        ),
        case(
            "/v2/boards?$select=id&$filter=group/users/any(u:startswith(u/userName,@n))&@n='tom'",
            "/value",
            json!([board(7)]),
            json!([]),
        ),
        case(
            "/v2/boards?$select=id&$filter=group/users/any(u:u/userName eq null)",
            "/value",
            json!([]),
            json!([board(7)]),
        ),
        case(
            "/v2/boards?$select=id&$top=0&$count=true&$filter=group/users/any(u:contains(u/userName,'.'))",
            "/@odata.count",
            json!(1),
            json!(0),
        ),
        case(
            "/v2/boards?$select=id&$orderby=group/users/any(u:u/userName eq 'tomas.berg')",
            "/value",
            json!([board(8), board(7)]),
            json!([board(7), board(8)]),
        ),
        case(
            "/v2/boards/7?$expand=group($expand=users($select=id;$orderby=userName desc))",
            "/group/users",
            ids(&["u-117", "u-104"]),
            ids(&["u-104", "u-117"]),
        ),
        case(
            "/v2/boards/7?$expand=group($expand=users($select=id;$filter=length(userName) gt 10))",
            "/group/users",
            ids(&["u-104"]),
            ids(&[]),
        ),
    ]
}

/// Incident 100 was reported by `u-117` (tomas.berg), and changed last by `u-104` (ingrid.solheim).
fn cases_of_incidents() -> Vec<Case> {
    let case = |path, pointer, seen, unseen| Case {
        path,
        pointer,
        seen,
        unseen,
    };
    let id = || json!([{"id": 100}]);
    vec![
        case(
            "/v2/incidents/100",
            "/createdByUser",
            json!("tomas.berg"),
            Value::Null,
        ),
        case(
            "/v2/incidents(100)",
            "/lastModifiedByUser",
            json!("ingrid.solheim"),
            Value::Null,
        ),
        case(
            "/v2/incidents?$filter=id eq 100",
            "/value/0/lastModifiedByUser",
            json!("ingrid.solheim"),
            Value::Null,
        ),
        case(
            "/v2/incidents?$select=id&$filter=createdByUser eq 'tomas.berg'",
            "/value",
            id(),
            json!([]),
        ),
        case(
            "/v2/incidents?$select=id&$filter=contains(lastModifiedByUser,'.')",
            "/value",
            id(),
            json!([]),
        ),
        case(
            "/v2/incidents?$select=id&$orderby=createdByUser desc,id desc",
            "/value",
            json!([{"id": 100}, {"id": 101}]),
            json!([{"id": 101}, {"id": 100}]),
        ),
        case(
            "/v2/incidents/comments/1?$expand=incident($select=createdByUser,createdByUserId)",
            "/incident",
            json!({"createdByUser": "tomas.berg", "createdByUserId": "u-117"}),
            json!({"createdByUser": null, "createdByUserId": "u-117"}),
        ),
        // Ids and names of persons are for all who read incidents, and what they saw before stays.
        case(
            "/v2/incidents/100?$select=createdByUserDisplayName,lastModifiedByUserId,owner",
            "",
            json!({"createdByUserDisplayName": "Tomas Berg", "lastModifiedByUserId": "u-104", "owner": "ingrid.solheim"}),
            json!({"createdByUserDisplayName": "Tomas Berg", "lastModifiedByUserId": "u-104", "owner": "ingrid.solheim"}),
        ),
    ]
}

#[tokio::test]
async fn a_client_that_may_not_read_users_learns_no_user_name() {
    check("Boards.Read", cases()).await;
}

#[tokio::test]
async fn nor_does_one_that_reads_incidents() {
    check("Incidents.Read", cases_of_incidents()).await;
}

async fn check(scope: &str, cases: Vec<Case>) {
    let service = service().await;
    let unseeing = service.token_for(&[scope]).await;
    let mut seeing = vec![service.token().to_owned()];
    for users in ["UserManagement.Read", "UserManagement.ReadWrite"] {
        seeing.push(service.token_for(&[scope, users]).await);
    }
    for Case {
        path,
        pointer,
        seen,
        unseen,
    } in cases
    {
        let found = async |token: &str| {
            let answer = service.get_as(Some(token), path).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text());
            let found = answer.json().pointer(pointer).cloned();
            found.unwrap_or_else(|| panic!("{path}: {}", answer.text()))
        };
        // One after the other, and again: their plans are cached.
        for _ in 0..2 {
            assert_eq!(found(&unseeing).await, unseen, "{path}");
            for token in &seeing {
                assert_eq!(found(token).await, seen, "{path}");
            }
        }
    }
}
