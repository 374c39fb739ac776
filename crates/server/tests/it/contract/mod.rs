//! The specification held against the service: every operation on success and on each error it describes, through the SDK where the SDK can
//! ask for it, and every answer judged by a JSON Schema validator that is not ours.
//!
//! What is expected comes from the specification alone: the operations, the errors each one lists, the schemas, the examples.

mod calls;
mod codes;
mod declared;
mod examples;
mod plant;
mod record;
mod schema;

use std::collections::BTreeSet;

use obeya::model::{
    CategoryInput, CauseInput, ConsequenceInput, EvaluationStatus, ImprovementStatus,
    ImprovementUpdate, IncidentCreate, IncidentStatus, IncidentUpdate, Patch,
};
use obeya::{Client, Error};
use reqwest::Method;

use self::calls::{Ask, Ids, call, incident_body, update_body};
use self::plant::Caller;
use self::record::Recorder;
use self::schema::{Described, operations};
use crate::support::{Answer, Service};

/// The errors of query options, with a request that meets each.
const OPTIONS: [(&str, Ask); 7] = [
    ("odata.syntax", filter("id eq")),
    ("odata.unknown_property", filter("nosuch eq 1")),
    ("odata.unknown_function", filter("nosuch(id) eq 1")),
    ("odata.type", filter("id eq 'x'")),
    ("odata.value", filter("id div 0 eq 1")),
    ("odata.limit", filter(DEEP)),
    (
        "odata.search_with_filter",
        Ask {
            search: Some("crack"),
            ..filter("id eq 1")
        },
    ),
];

/// Nested deeper than anybody needs.
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
    let recorder = Recorder::default();
    let all = plant::client(&service, Caller::All, &recorder).await;
    let elsewhere = plant::client(&service, Caller::Elsewhere, &recorder).await;
    let nobody = plant::client(&service, Caller::Nobody, &recorder).await;

    // Errors first: what succeeds afterwards shows that none of them has spoilt the plant.
    for operation in operations() {
        let declared = declared::answers(operation);
        let has = |answer: &str| declared.contains(answer);
        let id = operation.id.as_str();
        refused(call(&nobody, id, Ids::Known, Ask::default()).await, 401);
        refused(call(&elsewhere, id, Ids::Known, Ask::default()).await, 403);
        if has("404 not_found") {
            refused(call(&all, id, Ids::Unknown, Ask::default()).await, 404);
        }
        for (code, ask) in OPTIONS {
            if has(&format!("400 {code}")) {
                let error = call(&all, id, Ids::Known, ask).await.expect_err(code);
                assert_eq!(error.code(), Some(code), "{id}: {error}");
            }
        }
        bare_requests(&service, &recorder, operation).await;
    }
    wrong_parameters(&all).await;
    wrong_incidents(&all).await;
    wrong_improvements(&all).await;

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

/// Calls every operation in the ways it may succeed; those that did not.
async fn successes(all: &Client) -> Vec<&'static str> {
    let mut not_served = Vec::new();
    for operation in operations() {
        let is_v2 = operation.path.starts_with("/v2/");
        let expand = match operation.id.as_str() {
            "listBoards" | "getBoard" => "group($expand=parent,children,users)",
            "listGroups" | "getGroup" => "parent,children,boards,users",
            "listAreas" | "getArea" => "*",
            _ => "parent,incident($expand=area,group,followUpGroup,comments($expand=incident))",
        };
        let asks = [
            Ask::default(),
            Ask {
                expand: is_v2.then_some(expand),
                orderby: Some("id desc"),
                count: true,
                ..filter("id gt 0")
            },
            Ask {
                select: Some("id"),
                search: Some("assembly OR crack"),
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
    let path = operation.example_path();
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
    let json = ("content-type", "application/json");
    let template = operation.path.replace(['{', '}'], "x");
    ask("400 path.invalid", &template, &[json], Some("[]")).await;
    let unknown = format!("{path}?$nosuch=1");
    ask("400 odata.option", &unknown, &[], None).await;
    let image = ("accept", "image/png");
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
    ask("400 body.malformed", &path, &[json], Some("]")).await;
    ask("400 body.invalid", &path, &[json], Some("7")).await;
    let large = format!("\"{}\"", "x".repeat(2 << 20));
    ask("413 body.too_large", &path, &[json], Some(&large)).await;
    if let Some(content) = operation.request_content() {
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

async fn wrong_parameters(all: &Client) {
    let values = all.datasources().values(12);
    is(values.clone().page(0).await, "query.invalid");
    is(values.page_size(10_001).page(1).await, "query.invalid");
    let in_no_language = all.incidents().type_detail(3).language("!");
    is(in_no_language.send().await, "query.invalid");
}

async fn wrong_incidents(all: &Client) {
    let incidents = all.incidents();
    // Of the incident type 6, not 3, or of none.
    let wrong = [
        (60, 43, 53, "reference.other_type"),
        (99, 99, 99, "reference.unknown"),
    ];
    for (category, cause, consequence, code) in wrong {
        let body = IncidentCreate {
            categories: vec![CategoryInput::new(category)],
            ..incident_body()
        };
        is(incidents.create(&body).await, code);
        is(
            incidents.set_causes(1204, &[CauseInput::new(cause)]).await,
            code,
        );
        let consequences = [ConsequenceInput::new(consequence)];
        is(incidents.set_consequences(1204, &consequences).await, code);
    }
    let twice = [CategoryInput::new(31), CategoryInput::new(31)];
    let body = IncidentCreate {
        categories: twice.to_vec(),
        ..incident_body()
    };
    is(incidents.create(&body).await, "reference.duplicate");
    let twice = [CauseInput::new(41), CauseInput::new(41)];
    is(
        incidents.set_causes(1204, &twice).await,
        "reference.duplicate",
    );
    let twice = [ConsequenceInput::new(51), ConsequenceInput::new(51)];
    is(
        incidents.set_consequences(1204, &twice).await,
        "reference.duplicate",
    );
    let body = IncidentCreate {
        evaluation_status: Some(EvaluationStatus::Good),
        ..incident_body()
    };
    is(incidents.create(&body).await, "incident.evaluation");
    // A user of group 5.
    let body = IncidentCreate {
        follow_up_group_id: Some(4),
        responsible_user_id: Some("u-117".to_owned()),
        ..incident_body()
    };
    is(incidents.create(&body).await, "responsible.not_member");

    type Change = fn(&mut IncidentUpdate);
    let of_update = |change: Change| {
        let mut body = update_body();
        change(&mut body);
        body
    };
    let cases: [(&str, i32, Change); 5] = [
        ("reference.unknown", 1204, |body| body.area_id = 99.into()),
        ("reference.other_type", 1204, |body| {
            body.incident_type_id = 6;
        }),
        ("responsible.not_member", 1204, |body| {
            body.responsible_user_id = "u-117".to_owned().into();
        }),
        ("incident.evaluation", 1204, |body| {
            body.evaluation_status = EvaluationStatus::Good.into();
        }),
        // Rejected, then resolved.
        ("incident.transition", 1205, |body| {
            body.incident_type_id = 6;
            body.status = Some(IncidentStatus::Resolved);
        }),
    ];
    let rejected = of_update(|body| {
        body.incident_type_id = 6;
        body.status = Some(IncidentStatus::Rejected);
    });
    incidents.update(1205, &rejected).await.expect("rejected");
    for (code, id, change) in cases {
        is(incidents.update(id, &of_update(change)).await, code);
    }
}

async fn wrong_improvements(all: &Client) {
    let improvements = all.improvements();
    let open = ImprovementUpdate {
        status: Some(ImprovementStatus::Open),
        ..ImprovementUpdate::default()
    };
    is(
        improvements.update(318, &open).await,
        "improvement.transition",
    );
    let nowhere = ImprovementUpdate {
        group_id: Patch::Value(99),
        ..ImprovementUpdate::default()
    };
    is(
        improvements.update(317, &nowhere).await,
        "reference.unknown",
    );
}

#[track_caller]
fn refused(outcome: Result<(), Error>, status: u16) {
    let error = outcome.expect_err("a refusal");
    assert_eq!(error.status(), Some(status), "{error}");
}

#[track_caller]
fn is<T: std::fmt::Debug>(outcome: Result<T, Error>, code: &str) {
    let error = outcome.expect_err(code);
    assert_eq!(error.code(), Some(code), "{error}");
}

/// The companion operations of the same interface, and neighbours of those described: none may be served before it is described.
#[tokio::test]
async fn nothing_is_served_that_is_not_described() {
    let service = plant::served().await;
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    let mut paths: BTreeSet<String> = operations().iter().map(Described::example_path).collect();
    let described = paths.clone();
    for path in described {
        paths.insert(format!("{path}/x"));
        paths.insert(path.replace("/v1/", "/v3/").replace("/v2/", "/v3/"));
        paths.extend(path.rsplit_once('/').map(|(parent, _)| parent.to_owned()));
    }
    paths.extend(COMPANIONS.map(str::to_owned));
    for path in paths {
        for method in methods {
            let is_described = operations()
                .iter()
                .any(|operation| operation.method == method && operation.example_path() == path);
            let parsed: Method = method.parse().expect("a method");
            let answer = Answer::of(service.request(parsed, &path)).await;
            // `types` alone is where the id of an incident stands.
            let is_no_id = answer.status == 400 && answer.json()["code"] == "path.invalid";
            let unserved = [404, 405].contains(&answer.status) || is_no_id;
            assert_eq!(
                unserved,
                !is_described,
                "{method} {path}: {}",
                answer.text()
            );
        }
    }
}

const COMPANIONS: [&str; 16] = [
    "/v1/Incidents/1204/comments",
    "/v1/Incidents/1204/status",
    "/v1/Incidents/1204/severity",
    "/v1/Incidents/1204/responsible",
    "/v1/Incidents/1204/categories",
    "/v1/Incidents/1204/customfields/61",
    "/v1/Incidents/trash/1187/restore",
    "/v1/Datasources/12/values/900001",
    "/v1/Datasources/12/values/batch",
    "/v1/Datasources/12/values/batchReplace",
    "/v1/Groups",
    "/v2/incidents/types/3",
    "/v2/ping",
    "/v2/$metadata",
    "/v2",
    "/v1",
];
