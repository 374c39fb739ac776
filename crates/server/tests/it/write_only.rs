//! The view of a client that may write records and not read them.

use std::sync::LazyLock;

use reqwest::Method;
use serde_json::{Value, json};

use crate::incidents_plant::{fill, least, least_update, plant, with};
use crate::support::{ALL, Answer, Service};
use crate::values_written;

/// The contract; `nullable` in it says which properties an answer may leave empty.
static SPEC: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../spec/generated/openapi.json"))
        .expect("the normalised spec is JSON")
});

const WRITE_ONLY: [&str; 1] = ["public.api.write"];
const INCIDENT: &str = "/v1/Incidents/100";
const SEVERITY: &str = "/v1/Incidents/100/severity";
const VALUES: &str = "/v1/Datasources/1/values";

/// Method, path and body.
type Request<'a> = (&'a str, &'a str, Option<Value>);

/// A record without everything that its schema lets be empty, except the properties named.
fn limited(schema: &str, whole: &Value, shown: &[&str]) -> Value {
    let properties = &SPEC["components"]["schemas"][schema]["properties"];
    let mut record = whole.clone();
    for (name, value) in record.as_object_mut().expect("a record") {
        if shown.contains(&name.as_str()) {
            continue;
        }
        if properties[name]["type"] == "array" {
            *value = json!([]);
        } else if properties[name]["nullable"] == true
            || properties[name]["anyOf"][1]["nullable"] == true
        {
            *value = Value::Null;
        }
    }
    record
}

async fn send(
    service: &Service,
    token: &str,
    (method, path): (Method, &str),
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> Answer {
    let request = service.http.request(method, service.url(path));
    let request = headers
        .iter()
        .fold(request.bearer_auth(token), |request, (name, value)| {
            request.header(*name, *value)
        });
    Answer::of(match body {
        Some(body) => request.json(body),
        None => request,
    })
    .await
}

/// Writes without the right to read; the answer is the record as `read` returns it, without the properties
/// that are not `shown`.
async fn shows(
    service: &Service,
    token: &str,
    (schema, read): (&str, impl AsyncFn(i64) -> Value),
    (method, path, body): Request<'_>,
    shown: &[&str],
) {
    let method: Method = method.parse().expect("a method");
    let written = send(service, token, (method, path), &[], body.as_ref()).await;
    assert_eq!(written.status, 200, "{path}: {}", written.text());
    let record = written.json();
    let whole = read(record["id"].as_i64().expect("an id")).await;
    assert_eq!(record, limited(schema, &whole, shown), "{path} {body:?}");
    assert_ne!(record, whole, "{path}: something is hidden");
}

#[tokio::test]
async fn a_client_that_may_only_write_incidents_is_shown_what_it_sets() {
    let service = plant().await;
    // Scopes of other families do not allow reading incidents.
    let token = service
        .token_for(&["public.api.write", "Improvements.Read", "Boards.ReadWrite"])
        .await;
    let filled = json!({
        "status": "Resolved", "evaluationStatus": "Good", "evaluationText": "Held", "text": "Seen by night", "areaId": 2, "projectId": 8,
        "reportedByGroupId": 5, "followUpGroupId": 5, "responsibleUserId": "u-117", "dueDate": "2025-07-01T00:00:00Z", "externalId": "c8",
    });
    let filled = service.put(INCIDENT, &with(least_update(), &filled)).await;
    assert_eq!(filled.json()["reportedBy"], "Tomas Berg");
    let read = async |id: i64| service.get(&format!("/v1/Incidents/{id}")).await.json();
    let put = |path: &'static str, body: Value| ("PUT", path, Some(body));
    let cases: [(Request<'_>, &[&str]); 12] = [
        (put(SEVERITY, json!({})), &[]),
        // Unknown properties set nothing, and reveal nothing.
        (
            put(
                SEVERITY,
                json!({"severity": "High", "reportedBy": null, "reportedByUserId": null, "externalId": "x", "causes": []}),
            ),
            &[],
        ),
        (
            put("/v1/Incidents/100/status", json!({"status": "InProgress"})),
            &[],
        ),
        (
            put(
                "/v1/Incidents/100/responsible",
                json!({"followUpGroupId": 4, "responsibleUserId": "u-104"}),
            ),
            &["followUpGroupId", "responsibleUserId"],
        ),
        (
            put("/v1/Incidents/100/categories", json!([{"id": 32}])),
            &["categories"],
        ),
        (
            put(
                "/v1/Incidents/100/consequences",
                json!([{"id": 52, "amount": 2.5}]),
            ),
            &["consequences"],
        ),
        (
            put("/v1/Incidents/100/causes", json!([{"id": 42}])),
            &["causes"],
        ),
        (
            put("/v1/Incidents/100/externalId", json!("c9")),
            &["externalId"],
        ),
        (
            put(
                "/v1/Incidents/100/customfields/61",
                json!({"value": "M-20417"}),
            ),
            &[],
        ),
        (
            put(
                INCIDENT,
                with(
                    least_update(),
                    &json!({"text": "Left flange", "areaId": 2, "dueDate": null}),
                ),
            ),
            &["text", "areaId", "dueDate"],
        ),
        (
            (
                "POST",
                "/v1/Incidents",
                Some(with(
                    least(),
                    &json!({"text": "Left flange", "createdByUserId": "u-104", "customFields": [{"id": 61, "value": "M-1"}]}),
                )),
            ),
            &["text", "categories", "customFields"],
        ),
        (("PUT", "/v1/Incidents/trash/102/restore", None), &[]),
    ];
    for (request, shown) in cases {
        shows(&service, &token, ("IncidentV1", &read), request, shown).await;
    }
}

#[tokio::test]
async fn a_client_that_may_only_write_improvements_is_shown_what_it_sets() {
    let service = plant().await;
    let token = service.token_for(&WRITE_ONLY).await;
    let path = "/v1/Improvements/317";
    let filled = json!({
        "evaluationStatus": "Good", "evaluationText": "Held", "text": "On the left", "externalId": "i-1", "projectId": 8, "categoryId": 12,
        "responsibleUserId": "u-104", "gainOfInvestmentHours": 2.5,
    });
    let filled = service.put(path, &filled).await;
    assert_eq!(filled.json()["suggestedBy"], "Tomas Berg");
    let read = async |id: i64| service.get(&format!("/v1/Improvements/{id}")).await.json();
    let put = |body: Value| ("PUT", path, Some(body));
    let amounts = json!({"costOfInvestment": 7.25, "text": "Wider", "title": null});
    let made = json!({"title": "Light", "suggestedByUserId": "u-104", "groupId": 4});
    let cases: [(Request<'_>, &[&str]); 3] = [
        (put(json!({})), &[]),
        (put(amounts), &["costOfInvestment", "text", "title"]),
        (
            ("POST", "/v1/Improvements", Some(made)),
            &["title", "suggestedByUserId", "groupId"],
        ),
    ];
    for (request, shown) in cases {
        shows(&service, &token, ("Improvement", &read), request, shown).await;
    }
}

/// A value has nothing that its body does not set.
#[tokio::test]
async fn a_client_that_may_only_write_values_is_shown_them() {
    let service = values_written::plant().await;
    let token = service.token_for(&WRITE_ONLY).await;
    let body = json!({"value": 1.5, "valueDate": "2025-06-01T00:00:00Z", "dimension": "early"});
    let made = send(&service, &token, (Method::POST, VALUES), &[], Some(&body)).await;
    assert_eq!(made.json()["dimension"], "early");
    let path = format!("{VALUES}/{}", made.json()["id"]);
    let body = with(body, &json!({"dimension": "late", "areaId": 2}));
    let changed = send(&service, &token, (Method::PUT, &path), &[], Some(&body)).await;
    let page = service.get(VALUES).await.json();
    assert_eq!(changed.json(), page["values"][0]);
}

#[tokio::test]
async fn who_may_read_the_family_sees_the_whole_record() {
    let service = plant().await;
    let whole = service.get(INCIDENT).await;
    for scopes in [
        &["Incidents.ReadWrite"][..],
        &["public.api.write", "Incidents.Read"],
        &ALL,
    ] {
        let token = service.token_for(scopes).await;
        let body = json!({});
        let answer = send(&service, &token, (Method::PUT, SEVERITY), &[], Some(&body)).await;
        assert_eq!(answer.json(), whole.json(), "{scopes:?}");
        assert_eq!(answer.header("etag"), whole.header("etag"), "{scopes:?}");
    }
}

/// A digest of hidden values would let a client test guesses.
#[tokio::test]
async fn the_tag_of_who_may_not_read_is_good_for_if_match_and_tells_nothing() {
    let service = plant().await;
    let token = service.token_for(&WRITE_ONLY).await;
    let put = async |body: Value, tag: &str| {
        let headers = [("if-match", tag)];
        let headers = if tag.is_empty() { &[][..] } else { &headers };
        send(
            &service,
            &token,
            (Method::PUT, SEVERITY),
            headers,
            Some(&body),
        )
        .await
    };
    let first = put(json!({}), "").await;
    let whole = service.get(INCIDENT).await;
    assert_ne!(first.header("etag"), whole.header("etag"));
    // The tag for clients that may read is one of those that could be guessed.
    let guessed = put(json!({}), whole.header("etag")).await;
    guessed.is_problem(412, "precondition.failed");
    assert_eq!(guessed.header("etag"), first.header("etag"));

    let second = put(json!({"severity": "High"}), first.header("etag")).await;
    assert_eq!(second.status, 200, "{}", second.text());
    // Another client changes a hidden value.
    let body = with(
        least_update(),
        &json!({"severity": "High", "text": "Seen by night"}),
    );
    assert_eq!(service.put(INCIDENT, &body).await.status, 200);
    let late = put(json!({"severity": "Low"}), second.header("etag")).await;
    late.is_problem(412, "precondition.failed");
    let tag = late.header("etag");
    assert_eq!(put(json!({"severity": "Low"}), tag).await.status, 200);

    // A record that is deleted is named by the same tag.
    let tag = put(json!({}), "").await.header("etag").to_owned();
    let delete = async |tag: &str| {
        let asked = (Method::DELETE, INCIDENT);
        send(&service, &token, asked, &[("if-match", tag)], None).await
    };
    let whole = service.get(INCIDENT).await;
    let guessed = delete(whole.header("etag")).await;
    guessed.is_problem(412, "precondition.failed");
    assert_eq!(delete(&tag).await.status, 200);
}

/// A key is no way to read what others write later.
#[tokio::test]
async fn a_repeated_request_shows_what_it_set_while_it_is_still_so() {
    let service = Service::start().await;
    service.store().write(fill).await.expect("the plant");
    let token = service.token_for(&WRITE_ONLY).await;
    let body = with(least(), &json!({"text": "Left flange", "externalId": "c9"}));
    let headers = [("idempotency-key", "k")];
    let create = async || {
        let asked = (Method::POST, "/v1/Incidents");
        send(&service, &token, asked, &headers, Some(&body)).await
    };
    let first = create().await.json();
    let path = format!("/v1/Incidents/{}", first["id"]);
    let again = create().await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    let mut expected = first.clone();
    expected["categories"] = json!([]);
    assert_eq!(again.json(), expected);

    let changed = with(least_update(), &json!({"text": "Said in confidence"}));
    assert_eq!(service.put(&path, &changed).await.status, 200);
    let whole = service.get(&path).await.json();
    let again = create().await.json();
    assert_eq!(again, limited("IncidentV1", &whole, &["externalId"]));
    assert_eq!(again["text"], Value::Null);
}
