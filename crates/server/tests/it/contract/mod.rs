//! Contract tests: every operation on success and on each described error, through the SDK where it can send
//! the request; an independent JSON Schema validator checks every answer.
//!
//! Expectations come from the specification alone: the operations, the errors of each, the schemas, the
//! examples.

mod bounds;
mod calls;
mod codes;
mod declared;
mod documents;
mod examples;
mod plant;
mod prism;
mod record;
mod routes;
mod schema;
mod users;
mod wrong;

use std::collections::BTreeSet;

use obeya::{Client, Error};
use obeya_server::store::StoreError;
use reqwest::Method;
use serde_json::Value;

use self::calls::{Ask, Ids, call};
use self::plant::Caller;
use self::record::Recorder;
use self::schema::{Described, operations};
use crate::support::{ALL, Answer, FORM, Service, file_form};

/// The errors of query options, with a request that meets each.
const OPTIONS: [(&str, Ask); 7] = [
    ("odata.syntax", filter("id eq")),
    ("odata.unknown_property", filter("nosuch eq 1")),
    ("odata.unknown_function", filter("nosuch(id) eq 1")),
    ("odata.type", filter("id eq true")),
    ("odata.value", filter("1 div 0 eq 1")),
    ("odata.limit", filter(DEEP)),
    (
        "odata.search_with_filter",
        Ask {
            search: Some("crack"),
            ..filter("id eq 1")
        },
    ),
];

/// How often the writes of a commit had to run again.
const REPEATED: &str = "obeya_store_repeated_commits_total";

/// Nested too deeply.
const DEEP: &str = "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((id eq 1))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))";

const fn filter(text: &'static str) -> Ask {
    Ask {
        search: None,
        filter: Some(text),
        select: None,
        expand: None,
        orderby: None,
        top: None,
        count: false,
    }
}

#[tokio::test]
async fn every_operation_answers_what_it_describes_and_nothing_else() {
    let service = plant::served().await;
    take_keys(&service).await;
    let without_room = without_room(&service).await;
    let recorder = Recorder::default();
    let all = plant::client(&service, Caller::All, &recorder).await;
    let elsewhere = plant::client(&service, Caller::Elsewhere, &recorder).await;
    let from_tasks = plant::client(&service, Caller::ElsewhereFromTasks, &recorder).await;
    let nobody = plant::client(&service, Caller::Nobody, &recorder).await;

    // Errors first: what succeeds afterwards shows that none of them has spoilt the plant.
    for operation in operations() {
        let declared = declared::answers(operation);
        let has = |answer: &str| declared.contains(answer);
        let id = operation.id.as_str();
        refused(call(&nobody, id, Ids::Known, Ask::default()).await, 401);
        let elsewhere = match operation.path.to_lowercase().contains("tasks") {
            true => &from_tasks,
            false => &elsewhere,
        };
        refused(call(elsewhere, id, Ids::Known, Ask::default()).await, 403);
        if has("404 not_found") && operation.method == "POST" && !operation.path.contains('{') {
            gone(&service, &recorder, operation).await;
        } else if has("404 not_found") {
            refused(call(&all, id, Ids::Unknown, Ask::default()).await, 404);
        }
        for (code, ask) in OPTIONS {
            // The SDK requests the time without options.
            if has(&format!("400 {code}")) && id != "ping" {
                let error = call(&all, id, Ids::Known, ask).await.expect_err(code);
                assert_eq!(error.code(), Some(code), "{id}: {error}");
            }
        }
        bare_requests(&service, &recorder, operation).await;
        if has("429 idempotency.quota") {
            let answer = with_key(&service, &without_room, operation).await;
            recorder.saw(id, &answer);
            answer.is_problem(429, "idempotency.quota");
        }
    }
    wrong::parameters(&all).await;
    wrong::incidents(&all).await;
    wrong::improvements(&all).await;
    wrong::catalogue(&all, &service).await;
    wrong::tasks(&all).await;
    wrong::attachments(&all, &service).await;
    users::refused(&all).await;
    wrong::values(&all, &service).await;
    // A refused request must not make other writes of its commit run again: nothing is changed before all
    // checks are done.
    assert_eq!(service.figure(REPEATED).await, 0);
    wrong::exhausted(&all, &service).await;

    let not_served: Vec<&str> = successes(&all).await;
    insta::assert_compact_debug_snapshot!(not_served, @"[]");

    recorder.finds_no_fault();
    let seen = recorder.answers();
    for operation in operations() {
        let declared = declared::answers(operation);
        let seen = &seen[&operation.id];
        let missing: BTreeSet<_> = declared.difference(seen).collect();
        assert!(
            missing.is_empty(),
            "{} never gave {missing:?}",
            operation.id
        );
        let undeclared: BTreeSet<_> = seen.difference(&declared).collect();
        assert!(
            undeclared.is_empty(),
            "{} gave {undeclared:?}",
            operation.id
        );
    }
}

/// The key that another request has been sent under, to each operation and by each client.
const TAKEN: &str = "taken";

async fn take_keys(service: &Service) {
    for operation in operations() {
        let taken = service.store().write(|session| {
            let sql =
                "INSERT INTO answers (client_id, operation, key, fingerprint, body, answered_at)
                SELECT id, ?1, ?2, 'another', NULL, ?3 FROM clients";
            let binds = [operation.id.as_str().into(), TAKEN.into(), i64::MAX.into()];
            session.execute(sql, &binds)
        });
        let taken: Result<_, StoreError> = taken.await;
        assert!(taken.expect("rows") > 0);
    }
}

/// The token of a client that may do everything and has used as many keys as it may.
async fn without_room(service: &Service) -> String {
    let client = service.running.add_client("full", &ALL).await;
    let client = client.expect("a client");
    let id = client.client_id.clone();
    let used = service.store().write(move |session| {
        let sql = "INSERT INTO answers (client_id, operation, key, fingerprint, ordinal, answered_at) VALUES (?1, '', ?2, '', ?3, ?4)";
        let now: jiff::Timestamp = plant::NOW.parse().expect("a timestamp");
        let now = i64::try_from(now.as_nanosecond() / 100).expect("ticks");
        for (key, ordinal) in [("first", 1), ("last", 1_000_000)] {
            session.execute(
                sql,
                &[(&id).into(), key.into(), ordinal.into(), now.into()],
            )?;
        }
        Ok::<_, StoreError>(())
    });
    used.await.expect("rows");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", &client.client_id),
        ("client_secret", &client.client_secret),
    ];
    let token = service.ask_token(&form).await.json()["access_token"].clone();
    token.as_str().expect("a token").to_owned()
}

/// The request of an operation's example, under a key.
async fn with_key(service: &Service, token: &str, operation: &Described) -> Answer {
    let method: Method = operation.method.parse().expect("a method");
    let url = service.url(&operation.example_address());
    let request = service.http.request(method, url).bearer_auth(token);
    let request = request.header("idempotency-key", "another");
    let content = operation.request_content();
    Answer::of(match content {
        Some(content) => request.json(&content["application/json"]["example"]),
        None if operation.takes_a_file() => request
            .header("content-type", FORM)
            .body(file_form("note.txt", b"x")),
        None => request,
    })
    .await
}

/// What an operation without an id in its path has made goes, and the request comes again.
async fn gone(service: &Service, recorder: &Recorder, operation: &Described) {
    let token = service.token_for(&ALL).await;
    let made = with_key(service, &token, operation).await;
    let id = made.json()["id"].to_string();
    let path = format!("{}/{}", operation.path, id.trim_matches('"'));
    let delete = service.request(Method::DELETE, &path);
    assert_eq!(Answer::of(delete).await.status, 200, "{path}");
    let again = with_key(service, &token, operation).await;
    recorder.saw(&operation.id, &again);
    again.is_problem(404, "not_found");
}

/// Whether the list at a path has an index of words.
fn has_words(path: &str) -> bool {
    !["datasources", "improvements"]
        .iter()
        .any(|list| path.contains(list))
}

/// Calls every operation in the ways it may succeed; those that did not.
async fn successes(all: &Client) -> Vec<&'static str> {
    let mut not_served = Vec::new();
    for operation in operations() {
        let is_v2 = operation.path.starts_with("/v2/");
        let expand = match operation.id.as_str() {
            "listBoardsV2" | "getBoardV2" => "group($expand=parent,children,users),tasks",
            "listGroupsV2" | "getGroup" => "parent,children,boards,users($expand=user)",
            "listUsersV2" | "getUserV2" => "groups($expand=group,user)",
            "listAreas"
            | "getArea"
            | "listIncidentTypesV2"
            | "getIncidentTypeV2"
            | "listTypesOfIncident"
            | "getTypeOfIncident" => "*",
            "listIncidentsV2" | "getIncidentV2" => {
                "area,group,followUpGroup,ownerUser,type,tasks,attachments,comments($expand=incident($expand=type))"
            }
            "listImprovementsV2" | "getImprovementV2" => "group,responsible",
            "listDatasourcesV2" | "getDatasourceV2" => "values",
            "listDatasourceValuesV2" => "*",
            "listTasks" | "getTaskV2" => "board($expand=tasks,group),comments($expand=parent)",
            "listTaskComments" | "getTaskComment" | "listCommentsOfTask" | "getCommentOfTask" => {
                "parent,task($expand=board,comments)"
            }
            _ => "parent,incident($expand=area,group,followUpGroup,comments($expand=incident))",
        };
        let asks = [
            Ask::default(),
            Ask {
                expand: is_v2.then_some(expand),
                orderby: Some("id desc"),
                count: true,
                ..filter("id ne null")
            },
            Ask {
                select: Some("id"),
                search: has_words(&operation.path).then_some("assembly OR crack"),
                top: Some(1),
                ..Ask::default()
            },
        ];
        for ask in asks {
            if call(all, &operation.id, Ids::Known, ask).await.is_err() {
                not_served.push(operation.id.as_str());
            }
        }
    }
    not_served
}

/// What no SDK sends: requests by hand, for the errors of the operation that come of them.
async fn bare_requests(service: &Service, recorder: &Recorder, operation: &Described) {
    let declared = declared::answers(operation);
    let method: Method = operation.method.parse().expect("a method");
    let path = operation.example_address();
    let ask = async |answer: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>| {
        if !declared.contains(answer) {
            return;
        }
        let mut request = service.request(method.clone(), path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.body(body.to_owned());
        }
        let got = Answer::of(request).await;
        recorder.saw(&operation.id, &got);
        let code = got.json()["code"].as_str().unwrap_or("none").to_owned();
        assert_eq!(format!("{} {code}", got.status), answer, "{}", got.text());
    };
    let takes_a_file = operation.takes_a_file();
    let json = match takes_a_file {
        true => ("content-type", FORM),
        false => ("content-type", "application/json"),
    };
    // No id is such a text, and no text is no UTF-8.
    let template = operation.path.replace(['{', '}'], "%FF");
    ask("400 path.invalid", &template, &[json], Some("[]")).await;
    let unknown = format!("{}?$nosuch=1", operation.example_path());
    ask("400 odata.option", &unknown, &[], None).await;
    if operation.id == "ping" {
        let deep = format!("{path}?$filter={}", DEEP.replace(' ', "%20"));
        ask("400 odata.limit", &deep, &[], None).await;
        let broken = format!("{path}?$filter=id%20eq");
        ask("400 odata.syntax", &broken, &[], None).await;
        let negative = format!("{path}?$top=-1");
        ask("400 odata.value", &negative, &[], None).await;
    }
    let image = ("accept", "image/tiff");
    ask(
        "406 media_type.not_acceptable",
        &path,
        &[image, json],
        Some("{}"),
    )
    .await;
    ask(
        "415 media_type.unsupported",
        &path,
        &[("content-type", "text/csv")],
        Some("{}"),
    )
    .await;
    let of_users = match operation.id.as_str() {
        "createUserV2" => Some("allowRecovery"),
        "updateUserByUserName" => Some("userName"),
        _ => None,
    };
    if let Some(name) = of_users {
        let wrong = format!("{path}?{name}=%00");
        ask("400 query.invalid", &wrong, &[json], Some("{}")).await;
    }
    ask("400 body.malformed", &path, &[json], Some("]")).await;
    let invalid = match takes_a_file {
        // A field that is no file.
        true => "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n7\r\n--b--\r\n",
        false => "7",
    };
    ask("400 body.invalid", &path, &[json], Some(invalid)).await;
    let large = format!("\"{}\"", "x".repeat(2 << 20));
    ask("413 body.too_large", &path, &[json], Some(&large)).await;
    let content = operation.request_content();
    let in_order = content.and_then(|content| members(&content["application/json"]["example"]));
    let in_order = in_order.map(|body| body.to_string());
    if in_order.is_some() {
        ask("400 body.invalid", &path, &[json], in_order.as_deref()).await;
    }
    let whole = match takes_a_file {
        true => String::from_utf8(file_form("note.txt", b"x")).ok(),
        false => content.map(|content| content["application/json"]["example"].to_string()),
    };
    let named = |header: &'static str, value: &'static str| [json, (header, value)];
    for (answer, headers) in [
        ("400 header.invalid", named("idempotency-key", "a b")),
        ("412 precondition.failed", named("if-match", "\"x\"")),
        ("422 idempotency.mismatch", named("idempotency-key", TAKEN)),
    ] {
        ask(answer, &path, &headers, whole.as_deref()).await;
    }
    if let Some(content) = content {
        let strict = ("prefer", "handling=strict");
        let mut body = content["application/json"]["example"].clone();
        let object = if body.is_array() {
            &mut body[0]
        } else {
            &mut body
        };
        if let Some(object) = object.as_object_mut() {
            object.insert("nosuch".to_owned(), 1.into());
        }
        let body = body.to_string();
        ask(
            "400 body.unknown_property",
            &path,
            &[json, strict],
            Some(&body),
        )
        .await;
    }
}

/// An array instead of each object, with the same members: serde would accept it if their order is right.
fn members(body: &Value) -> Option<Value> {
    match body {
        Value::Array(items) => items.iter().map(members).collect(),
        Value::Object(members) => Some(members.values().cloned().collect()),
        _ => None,
    }
}

#[track_caller]
fn refused(outcome: Result<(), Error>, status: u16) {
    let error = outcome.expect_err("a refusal");
    assert_eq!(error.status(), Some(status), "{error}");
}
