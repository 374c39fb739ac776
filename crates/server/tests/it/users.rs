//! Users: created, read, changed, deleted and restored, by either generation.

use reqwest::Method;
use serde_json::{Value, json};

use crate::grants_random::restricted;
use crate::incidents_plant::{accepted, least, plant, with};
use crate::support::{Answer, Service};

const V1: &str = "/v1/Users";
const V2: &str = "/v2/users";

/// The least body of v1.
fn maja() -> Value {
    json!({"userName": "maja.lind", "email": "maja@plant.example", "firstName": "Maja", "lastName": "Lind"})
}

/// The least body of v2.
fn maja_v2() -> Value {
    with(maja(), &json!({"type": "NORMAL"}))
}

/// A new user; its id.
async fn made(service: &Service, body: &Value) -> String {
    let made = accepted(service, "POST", V1, body).await;
    made["id"].as_str().expect("an id").to_owned()
}

async fn send(service: &Service, method: Method, path: &str, body: Option<&Value>) -> Answer {
    let request = service.request(method, path);
    Answer::of(match body {
        Some(body) => request.json(body),
        None => request,
    })
    .await
}

async fn delete(service: &Service, path: &str) -> Answer {
    send(service, Method::DELETE, path, None).await
}

/// Record and change of the last entry of the audit log.
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
async fn a_user_of_v1_is_created_read_and_changed() {
    let service = plant().await;
    let answer = service.post(V1, &maja()).await;
    let id = answer.json()["id"].as_str().expect("an id").to_owned();
    let expected = json!({
        "id": id, "roles": [], "fullName": "Maja Lind", "userName": "maja.lind", "email": "maja@plant.example", "useAD": false,
        "azureAdObjectId": null, "firstName": "Maja", "lastName": "Lind", "screenName": null, "isInfoScreenUser": false,
        "isMobileUser": false, "businessUnitId": null, "externalId": null,
    });
    assert_eq!(answer.json(), expected);
    let path = format!("{V1}/{id}");
    assert_eq!(answer.header("location"), service.url(&path));
    let read = service.get(&path).await;
    assert_eq!(read.json(), expected);
    assert_eq!(read.header("etag"), answer.header("etag"));
    let [record, change] = last_change(&service).await;
    assert_eq!(record, "users");
    let change: Value = serde_json::from_str(&change).expect("JSON");
    assert_eq!(
        change["after"],
        json!({
            "id": id, "userName": "maja.lind", "displayName": "Maja Lind", "email": "maja@plant.example", "firstName": "Maja",
            "lastName": "Lind", "useAd": false, "type": "NORMAL", "roles": [],
        })
    );

    // What is left out stays, null empties, and other names make another display name.
    let body = with(
        maja(),
        &json!({"screenName": "ML", "useAD": true, "isMobileUser": true, "businessUnitId": 4, "externalId": "H-1", "azureAdObjectId": "x-1"}),
    );
    let changed = accepted(&service, "PUT", &path, &body).await;
    assert_eq!(changed["isMobileUser"], true);
    assert_eq!(accepted(&service, "PUT", &path, &maja()).await, changed);
    let body = with(
        maja(),
        &json!({"lastName": "Holm", "screenName": null, "businessUnitId": null, "externalId": null, "azureAdObjectId": null,
            "isMobileUser": false, "useAD": false}),
    );
    let emptied = accepted(&service, "PUT", &path, &body).await;
    let holm = json!({"fullName": "Maja Holm", "lastName": "Holm"});
    assert_eq!(emptied, with(expected.clone(), &holm));

    let screen = with(maja(), &json!({"isInfoScreenUser": true}));
    let screen = accepted(&service, "PUT", &path, &screen).await;
    assert_eq!(
        [&screen["isInfoScreenUser"], &screen["isMobileUser"]],
        [true, false]
    );
    let v2 = service.get(&format!("{V2}/{id}")).await.json();
    assert_eq!(v2["type"], "SCREEN");
}

#[tokio::test]
async fn a_user_of_v2_is_created_replaced_and_patched() {
    let service = plant().await;
    let answer = service.post(V2, &maja_v2()).await;
    let id = answer.json()["id"].as_str().expect("an id").to_owned();
    let expected = json!({
        "id": id, "userName": "maja.lind", "email": "maja@plant.example", "firstName": "Maja", "lastName": "Lind",
        "displayName": "Maja Lind", "externalId": null, "type": "NORMAL", "businessUnitId": null,
    });
    assert_eq!(answer.json(), expected);
    let path = format!("{V2}/{id}");
    assert_eq!(answer.header("location"), service.url(&path));
    for read in [
        path.clone(),
        format!("{V2}('{id}')"),
        format!("{V2}(id=%27{id}%27)"),
    ] {
        assert_eq!(service.get(&read).await.json(), expected, "{read}");
    }
    let named = with(
        maja_v2(),
        &json!({"displayName": "Maja L.", "type": "MOBILE"}),
    );
    let replaced = accepted(&service, "PUT", &path, &named).await;
    assert_eq!(
        replaced,
        with(
            expected.clone(),
            &json!({"displayName": "Maja L.", "type": "MOBILE"})
        )
    );
    // A display name that was given stays as long as the names do.
    let same = accepted(
        &service,
        "PUT",
        &path,
        &with(maja_v2(), &json!({"type": "MOBILE"})),
    )
    .await;
    assert_eq!(same["displayName"], "Maja L.");
    let patch = async |body: Value| accepted(&service, "PATCH", &path, &body).await;
    assert_eq!(patch(json!({})).await, same);
    assert_eq!(
        patch(json!({"externalId": "H-7"})).await["externalId"],
        "H-7"
    );
    assert_eq!(
        patch(json!({"externalId": null})).await["externalId"],
        Value::Null
    );
    assert_eq!(
        patch(json!({"displayName": null})).await["displayName"],
        "Maja Lind"
    );
    let both = patch(json!({"FirstName": "Mia", "type": "NORMAL"})).await;
    assert_eq!(
        both,
        with(
            expected,
            &json!({"firstName": "Mia", "displayName": "Mia Lind"})
        )
    );
}

#[tokio::test]
async fn a_body_that_does_not_fit_is_refused_by_its_field() {
    let service = plant().await;
    let id = made(&service, &maja()).await;
    let (v1, v2) = (format!("{V1}/{id}"), format!("{V2}/{id}"));
    let long = "x".repeat(256);
    let cases = [
        (json!({"userName": ""}), "userName"),
        (json!({"userName": long}), "userName"),
        (json!({"email": "maja"}), "email"),
        (json!({"email": "@plant.example"}), "email"),
        (json!({"email": "maja @plant.example"}), "email"),
        (json!({"firstName": ""}), "firstName"),
        (json!({"lastName": null}), "lastName"),
        (json!({"externalId": long}), "externalId"),
    ];
    for (wrong, field) in &cases {
        for (method, path, body) in [
            (Method::POST, V1, maja()),
            (Method::PUT, v1.as_str(), maja()),
            (Method::POST, V2, maja_v2()),
            (Method::PUT, v2.as_str(), maja_v2()),
            (Method::PATCH, v2.as_str(), json!({})),
        ] {
            let body = with(body, wrong);
            let refused = send(&service, method.clone(), path, Some(&body)).await;
            let problem = refused.is_problem(400, "body.invalid");
            assert!(
                problem["errors"][field].is_array(),
                "{method} {path} {wrong}: {problem}"
            );
        }
    }
    for (method, path, body, field) in [
        (
            Method::POST,
            V1,
            json!({"screenName": "seven77"}),
            "screenName",
        ),
        (Method::POST, V1, json!({"useAD": null}), "useAD"),
        (
            Method::POST,
            V1,
            json!({"isInfoScreenUser": true, "isMobileUser": true}),
            "isMobileUser",
        ),
        (Method::POST, V2, json!({"type": "normal"}), "type"),
        (Method::PATCH, v2.as_str(), json!({"type": null}), "type"),
    ] {
        let whole = if path == V1 { maja() } else { maja_v2() };
        let body = if method == Method::PATCH {
            body
        } else {
            with(whole, &body)
        };
        let refused = send(&service, method, path, Some(&body)).await;
        let problem = refused.is_problem(400, "body.invalid");
        assert!(
            problem["errors"][field].is_array(),
            "{path} {body}: {problem}"
        );
    }
    for (path, text) in [
        (
            "/v2/users(7)",
            "expected a text in single quotation marks, found `7`",
        ),
        (
            "/v2/users('a'b')",
            "expected a text in single quotation marks, found `'a'b'`",
        ),
    ] {
        let problem = service.get(path).await.is_problem(400, "path.invalid");
        assert_eq!(problem["errors"]["userId"], json!([text]), "{path}");
    }
    let problem = service
        .get("/v2/users/nobody")
        .await
        .is_problem(404, "not_found");
    assert_eq!(problem["detail"], "There is no user `nobody`.");
}

#[tokio::test]
async fn a_user_name_is_of_one_user_whatever_its_case() {
    let service = plant().await;
    let id = made(&service, &maja()).await;
    let there = json!({"userName": "Ingrid.Solheim"});
    for (method, path, body) in [
        (Method::POST, V1.to_owned(), with(maja(), &there)),
        (Method::PUT, format!("{V1}/{id}"), with(maja(), &there)),
        (
            Method::POST,
            format!("{V2}?allowRecovery=true"),
            with(maja_v2(), &there),
        ),
        (Method::PATCH, format!("{V2}/{id}"), there.clone()),
    ] {
        let refused = send(&service, method, &path, Some(&body)).await;
        let problem = refused.is_problem(409, "user.exists");
        assert_eq!(
            problem["detail"], "There is a user `ingrid.solheim` already.",
            "{path}"
        );
    }
    // Its own name may change its case.
    let body = with(maja(), &json!({"userName": "Maja.Lind"}));
    let changed = accepted(&service, "PUT", &format!("{V1}/{id}"), &body).await;
    assert_eq!(changed["userName"], "Maja.Lind");

    let by_name = "/v1/Users/UpdateByUserName";
    let body = with(
        maja(),
        &json!({"userName": "maja.holm", "lastName": "Holm"}),
    );
    let path = format!("{by_name}?userName=MAJA.lind");
    let changed = accepted(&service, "PUT", &path, &body).await;
    assert_eq!(
        [&changed["id"], &changed["userName"], &changed["fullName"]],
        [id.as_str(), "maja.holm", "Maja Holm"]
    );
    // Without the parameter the body names the user.
    let body = with(body, &json!({"externalId": "H-2"}));
    let changed = accepted(&service, "PUT", by_name, &body).await;
    assert_eq!(changed["externalId"], "H-2");
    let unknown = send(&service, Method::PUT, &path, Some(&body)).await;
    let problem = unknown.is_problem(404, "not_found");
    assert_eq!(problem["detail"], "There is no user `MAJA.lind`.");
    let twice = format!("{by_name}?userName=a&UserName=b");
    let twice = send(&service, Method::PUT, &twice, Some(&body)).await;
    twice.is_problem(400, "query.invalid");
}

#[tokio::test]
async fn a_deleted_user_is_gone_but_for_the_records_that_name_it() {
    let service = plant().await;
    let assign = json!({"responsibleUserId": "u-104", "followUpGroupId": 4});
    let responsible = "/v1/Incidents/100/responsible";
    accepted(&service, "PUT", responsible, &assign).await;
    let before = service.get("/v1/Users/u-104").await.json();
    let deleted = delete(&service, "/v1/Users/u-104").await;
    assert_eq!((deleted.status, deleted.json()), (200, before));
    for path in [
        "/v1/Users/u-104",
        "/v2/users/u-104",
        "/v1/Users/u-104/groups",
        "/v2/users('u-104')/groups",
    ] {
        service.get(path).await.is_problem(404, "not_found");
    }
    let ids = |list: Value| {
        let users = list.as_array().expect("an array").clone();
        users
            .iter()
            .map(|user| user["id"].clone())
            .collect::<Value>()
    };
    assert_eq!(ids(service.get(V1).await.json()), json!(["u-117"]));
    assert_eq!(
        ids(service.get(V2).await.json()["value"].take()),
        json!(["u-117"])
    );
    assert_eq!(service.get("/v2/users/$count").await.text(), "1");
    assert_eq!(service.get("/v1/Groups/4/members").await.json(), json!([]));
    let incident = service
        .get("/v2/incidents/100?$expand=ownerUser")
        .await
        .json();
    assert_eq!(incident["ownerDisplayName"], "Ingrid Solheim");
    assert_eq!(incident["ownerUser"], Value::Null);

    // Nobody can be named anew.
    let task = json!({"title": "x", "responsibleUserId": "u-104"});
    let refused = service.post("/v1/Tasks", &task).await;
    refused.is_problem(422, "reference.unknown");
    let member = json!({"userId": "u-104", "groupRole": "Member"});
    let refused = service.put("/v1/Groups/4/members", &member).await;
    refused.is_problem(422, "reference.unknown");
    delete(&service, "/v2/users/u-104")
        .await
        .is_problem(404, "not_found");

    let again = with(maja_v2(), &json!({"userName": "INGRID.SOLHEIM"}));
    let refused = service.post(V2, &again).await;
    let problem = refused.is_problem(409, "user.deleted");
    assert_eq!(
        problem["detail"],
        "There was a user `ingrid.solheim`, who was deleted. POST /v2/users with allowRecovery=true restores the user."
    );
    let restored = service
        .post(&format!("{V2}?allowRecovery=true"), &again)
        .await;
    assert_eq!(restored.json()["id"], "u-104");
    assert_eq!(restored.header("location"), service.url("/v2/users/u-104"));
    let read = service.get("/v2/users/u-104").await.json();
    assert_eq!(
        [&read["userName"], &read["displayName"]],
        ["INGRID.SOLHEIM", "Maja Lind"]
    );
    let wrong = service
        .post(&format!("{V2}?allowRecovery=yes"), &again)
        .await;
    wrong.is_problem(400, "query.invalid");
}

#[tokio::test]
async fn a_repeated_request_is_answered_as_the_first() {
    let service = plant().await;
    let keyed = async |method: Method, path: &str, key: &str, body: Option<&Value>| {
        let request = service.request(method, path).header("idempotency-key", key);
        Answer::of(match body {
            Some(body) => request.json(body),
            None => request,
        })
        .await
    };
    let first = keyed(Method::POST, V2, "a", Some(&maja_v2())).await;
    let again = keyed(Method::POST, V2, "a", Some(&maja_v2())).await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!((again.status, again.text()), (200, first.text()));
    let id = first.json()["id"].as_str().expect("an id").to_owned();
    let path = format!("{V1}/{id}");
    let first = keyed(Method::DELETE, &path, "b", None).await;
    let again = keyed(Method::DELETE, &path, "b", None).await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!((again.status, again.text()), (200, first.text()));
    // The answer names the user, so it goes with the user.
    let erased = service.store().write(|session| {
        let kept = "SELECT count(*) FROM answers WHERE body LIKE '\"%'";
        let before = session.first(kept, &[], |row| row.int(0))?;
        let users = session.all(
            "SELECT id FROM users WHERE user_name = 'maja.lind'",
            &[],
            |row| row.string(0),
        )?;
        for user in users.into_iter().flatten() {
            obeya_server::store::erasure::erase(session, &user, false, 1)?;
        }
        Ok::<_, obeya_server::store::StoreError>([
            before,
            session.first(kept, &[], |row| row.int(0))?,
        ])
    });
    assert_eq!(
        erased.await.expect("erased"),
        [Some(Some(2)), Some(Some(0))]
    );
}

#[tokio::test]
async fn a_stale_condition_changes_nothing() {
    let service = plant().await;
    let tag = service
        .get("/v1/Users/u-104")
        .await
        .header("etag")
        .to_owned();
    let put = async |tag: &str, name: &str| {
        let body = with(maja(), &json!({"userName": name}));
        let request = service
            .request(Method::PUT, "/v1/Users/u-104")
            .header("if-match", tag);
        Answer::of(request.json(&body)).await
    };
    assert_eq!(put(&tag, "ingrid").await.status, 200);
    put(&tag, "maja")
        .await
        .is_problem(412, "precondition.failed");
    assert_eq!(
        service.get("/v1/Users/u-104").await.json()["userName"],
        "ingrid"
    );
}

#[tokio::test]
async fn a_write_of_v2_has_the_context_on_request() {
    let service = plant().await;
    let id = made(&service, &maja()).await;
    let path = format!("{V2}/{id}");
    let accept = ("accept", "application/json;odata.metadata=minimal");
    let patch = async |path: &str, tag: &str, body: &Value| {
        let request = service
            .request(Method::PATCH, path)
            .header(accept.0, accept.1)
            .header("if-match", tag);
        Answer::of(request.json(body)).await
    };
    let read = service.request(Method::GET, &path);
    let read = Answer::of(read.header(accept.0, accept.1)).await;
    let changed = patch(
        &path,
        read.header("etag"),
        &json!({"email": "lind@plant.example"}),
    )
    .await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    let context = service.url("/v2/$metadata#users/$entity");
    assert_eq!(changed.json()["@odata.context"], context);

    let created = service
        .request(Method::POST, V2)
        .header(accept.0, accept.1)
        .json(&with(maja_v2(), &json!({"userName": "other"})));
    assert_eq!(Answer::of(created).await.json()["@odata.context"], context);
    let of_v1 = service
        .request(Method::PUT, &format!("{V1}/{id}"))
        .header(accept.0, accept.1)
        .json(&maja());
    assert_eq!(
        Answer::of(of_v1).await.json()["@odata.context"],
        Value::Null
    );
}

#[tokio::test]
async fn another_name_stamps_the_records_that_show_it() {
    let service = plant().await;
    let stamp = async || {
        let incident = service.get("/v1/Incidents/100").await.json();
        [
            incident["lastModified"].clone(),
            incident["reportedBy"].clone(),
        ]
    };
    let anonymous = service.get("/v1/Incidents/101").await.json()["lastModified"].clone();
    service.clock.advance(60);
    let patch = async |body: Value| accepted(&service, "PATCH", "/v2/users/u-117", &body).await;
    let [before, name] = stamp().await;
    assert_eq!(name, "Tomas Berg");
    patch(json!({"externalId": "H-3"})).await;
    assert_eq!(stamp().await, [before, json!("Tomas Berg")]);
    patch(json!({"displayName": "Tomas B."})).await;
    assert_eq!(
        stamp().await,
        [json!("2025-06-02T08:01:00Z"), json!("Tomas B.")]
    );
    // A stamp would tell who reported it.
    let after = service.get("/v1/Incidents/101").await.json()["lastModified"].clone();
    assert_eq!(after, anonymous);
}

#[tokio::test]
async fn a_screen_is_nobody_who_could_be_responsible() {
    let service = plant().await;
    accepted(
        &service,
        "PATCH",
        "/v2/users/u-104",
        &json!({"type": "SCREEN"}),
    )
    .await;
    let screen = json!({"responsibleUserId": "u-104", "followUpGroupId": 4});
    for (method, path, body) in [
        (Method::POST, "/v1/Incidents", with(least(), &screen)),
        (Method::PUT, "/v1/Incidents/100/responsible", screen.clone()),
        (
            Method::POST,
            "/v1/Tasks",
            json!({"title": "x", "responsibleUserId": "u-104"}),
        ),
        (
            Method::POST,
            "/v1/Improvements",
            json!({"title": "x", "suggestedByUserId": "u-117", "responsibleUserId": "u-104"}),
        ),
    ] {
        let refused = send(&service, method, path, Some(&body)).await;
        let problem = refused.is_problem(422, "reference.unknown");
        assert_eq!(
            problem["errors"]["responsibleUserId"],
            json!(["user `u-104` is a screen, which cannot be responsible"]),
            "{path}"
        );
    }
}

#[tokio::test]
async fn roles_are_given_listed_and_taken() {
    let service = plant().await;
    let role = async |method: Method, user: &str, role: &str| {
        send(&service, method, &format!("{V1}/{user}/roles/{role}"), None).await
    };
    for (user, name) in [
        ("u-104", "Lead"),
        ("u-104", "Lead%20auditor"),
        ("u-117", "Leader"),
    ] {
        assert_eq!(role(Method::PUT, user, name).await.status, 200);
    }
    let same = role(Method::PUT, "u-104", "Lead").await;
    assert_eq!(same.json()["roles"], json!(["Lead", "Lead auditor"]));
    let with_role = async |role: &str| {
        let users = service.get(&format!("{V1}/roles/{role}")).await.json();
        let users = users.as_array().expect("an array").clone();
        users
            .iter()
            .map(|user| user["id"].clone())
            .collect::<Value>()
    };
    assert_eq!(with_role("Lead").await, json!(["u-104"]));
    assert_eq!(with_role("Leader").await, json!(["u-117"]));
    assert_eq!(with_role("lead").await, json!([]));
    let taken = role(Method::DELETE, "u-104", "Lead").await;
    assert_eq!(taken.json()["roles"], json!(["Lead auditor"]));
    let gone = role(Method::DELETE, "u-104", "Lead").await;
    let problem = gone.is_problem(404, "not_found");
    assert_eq!(problem["detail"], "There is no role of the user `Lead`.");
    role(Method::PUT, "nobody", "Lead")
        .await
        .is_problem(404, "not_found");
    for wrong in ["a%22b", "a%5Cb", "%0A", &"x".repeat(65)] {
        role(Method::PUT, "u-104", wrong)
            .await
            .is_problem(400, "path.invalid");
        let list = service.get(&format!("{V1}/roles/{wrong}")).await;
        list.is_problem(400, "path.invalid");
    }
}

#[tokio::test]
async fn users_are_found_by_conditions_searches_and_links() {
    let service = plant().await;
    let first = async |path: &str| {
        let answer = service.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    };
    let id = made(&service, &with(maja(), &json!({"externalId": "H-1"}))).await;
    let value =
        async |query: &str| first(&format!("{V2}?$select=id&{query}")).await["value"].take();
    for query in [
        "$filter=contains(displayName,'aja')",
        "$filter=externalId eq 'H-1'",
        "$search=lind",
        "$search=\"maja plant\"",
        "$filter=type eq 'NORMAL'&$orderby=displayName desc&$skip=1&$top=1",
        "$filter=not groups/any()",
    ] {
        assert_eq!(value(query).await, json!([{"id": id}]), "{query}");
    }
    assert_eq!(
        value("$filter=groups/any(g:g/groupId eq 4)").await,
        json!([{"id": "u-104"}])
    );
    assert_eq!(
        value("$filter=groups/any(g:g/group/name eq 'Night shift')").await,
        json!([{"id": "u-117"}])
    );
    let by_v1 = first(&format!(
        "{V1}?$filter=fullName eq 'Maja Lind'&$orderby=userName"
    ))
    .await;
    assert_eq!(by_v1[0]["id"], json!(id));

    let member = json!({"userId": "u-104", "groupRole": "Owner"});
    service.put("/v1/Groups/5/members", &member).await;
    let expanded = first("/v2/users/u-104?$select=id&$expand=groups($expand=group($select=name),user($select=displayName))").await;
    let membership = |group: i32, role: &str, name: &str| json!({"groupId": group, "userId": "u-104", "role": role, "group": {"name": name}, "user": {"displayName": "Ingrid Solheim"}});
    assert_eq!(
        expanded,
        json!({"id": "u-104", "groups": [membership(4, "Member", "Assembly team"), membership(5, "Owner", "Night shift")]})
    );
    let of_user = first("/v1/Users/u-104/groups").await;
    assert_eq!([&of_user[0]["id"], &of_user[1]["id"]], [4, 5]);
    let related = first("/v2/users('u-104')/groups?$select=groupId").await;
    assert_eq!(related["value"], json!([{"groupId": 4}, {"groupId": 5}]));
    // A page goes on after a text.
    let page = first(&format!("{V2}?$select=id&$top=3")).await;
    assert_eq!(page["value"].as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn a_restricted_client_sees_the_members_of_its_groups() {
    let service = plant().await;
    let token = restricted(&service, &["UserManagement.ReadWrite"], &["group=4"]).await;
    let get = async |path: &str| service.get_as(Some(&token), path).await;
    for path in [V1, V2, "/v1/Users/roles/Lead"] {
        assert!(!get(path).await.text().contains("u-117"), "{path}");
    }
    assert_eq!(get("/v2/users/u-104").await.status, 200);
    for path in [
        "/v1/Users/u-117",
        "/v2/users/u-117",
        "/v1/Users/u-117/groups",
    ] {
        get(path).await.is_problem(404, "not_found");
    }
    // A new user would be in none of its groups, and a name that is taken says nothing.
    let post = service.http.post(service.url(V2)).bearer_auth(&token);
    let refused = Answer::of(post.json(&maja_v2())).await;
    refused.is_problem(403, "grant.missing");
    let put = service
        .http
        .put(service.url("/v1/Users/UpdateByUserName?userName=tomas.berg"));
    let refused = Answer::of(put.bearer_auth(&token).json(&maja())).await;
    refused.is_problem(404, "not_found");
    assert_eq!(service.get("/v2/users/$count").await.text(), "2");
}

#[tokio::test]
async fn other_families_see_id_and_display_name_alone() {
    let service = plant().await;
    let assign = json!({"responsibleUserId": "u-104", "followUpGroupId": 4});
    accepted(&service, "PUT", "/v1/Incidents/100/responsible", &assign).await;
    let token = service.token_for(&["Incidents.Read"]).await;
    let path = "/v2/incidents/100?$select=id&$expand=ownerUser";
    let seen = service.get_as(Some(&token), path).await.json();
    assert_eq!(
        seen["ownerUser"],
        json!({"id": "u-104", "userName": null, "email": null, "firstName": null, "lastName": null, "displayName": "Ingrid Solheim",
            "externalId": null, "type": null, "businessUnitId": null})
    );
    for condition in [
        "userName eq 'ingrid.solheim'",
        "type eq 'NORMAL'",
        "email ne null",
    ] {
        let path = format!("/v2/incidents?$select=id&$filter=ownerUser/{condition}");
        let hidden = service.get_as(Some(&token), &path).await.json();
        assert_eq!(hidden["value"], json!([]), "{condition}");
    }
    for path in [V1, V2, "/v1/Users/u-104", "/v2/users/u-104"] {
        let refused = service.get_as(Some(&token), path).await;
        refused.is_problem(403, "scope.missing");
    }
}
