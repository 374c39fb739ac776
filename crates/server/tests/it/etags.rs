//! Tags of records, and the conditions that name them.

use reqwest::Method;
use serde_json::{Value, json};

use crate::incidents_plant::{least_update, plant, with};
use crate::support::{Answer, Service};

const INCIDENT: &str = "/v1/Incidents/100";

/// A request with headers, and a body if there is one.
pub async fn send(
    service: &Service,
    (method, path): (Method, &str),
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> Answer {
    let mut request = service.request(method, path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    if let Some(body) = body {
        request = request.json(body);
    }
    Answer::of(request).await
}

async fn put(service: &Service, path: &str, if_match: &str, body: &Value) -> Answer {
    let headers = [("if-match", if_match)];
    send(service, (Method::PUT, path), &headers, Some(body)).await
}

fn titled(title: &str) -> Value {
    with(least_update(), &json!({"title": title}))
}

/// RFC 9110, 8.8.3: a strong tag is a text in double quotes.
#[track_caller]
fn tag(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.text());
    let tag = answer.header("etag");
    let opaque = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
    assert!(opaque.is_some_and(|opaque| opaque.len() == 22), "{tag}");
    tag.to_owned()
}

#[tokio::test]
async fn every_single_record_has_a_tag_and_is_not_sent_to_who_knows_it() {
    let service = plant().await;
    for path in [
        "/v1/Boards/7",
        "/v1/Incidents/types/3",
        "/v1/Incidents/types/3?language=nb",
        "/v1/Incidents/100",
        "/v1/Improvements/317",
        "/v2/areas/2",
        "/v2/areas/2?$select=name",
        "/v2/areas(2)",
        "/v2/boards/7",
        "/v2/boards/7?$expand=group",
        "/v2/boards(7)/group",
        "/v2/groups/4",
        "/v2/incidents/comments/1",
    ] {
        let whole = service.get(path).await;
        let tag = tag(&whole);
        for known in [
            tag.clone(),
            format!("W/{tag}"),
            format!("\"other\", {tag}"),
            "*".to_owned(),
        ] {
            let headers = [("if-none-match", known.as_str())];
            let unchanged = send(&service, (Method::GET, path), &headers, None).await;
            assert_eq!(unchanged.status, 304, "{path} {known}");
            assert_eq!(unchanged.header("etag"), tag, "{path}");
            assert!(unchanged.body.is_empty(), "{path}");
            assert_eq!(unchanged.header("content-type"), "", "{path}");
        }
        for other in ["\"other\"", "no tag"] {
            let headers = [("if-none-match", other)];
            let again = send(&service, (Method::GET, path), &headers, None).await;
            assert_eq!(again.body, whole.body, "{path} {other}");
        }
    }
}

#[tokio::test]
async fn a_tag_names_the_bytes_and_nothing_else() {
    let service = plant().await;
    let of = async |path| tag(&service.get(path).await);
    let plain = of("/v2/boards/7").await;
    assert_eq!(of("/v2/Boards(7)").await, plain);
    assert_ne!(of("/v2/boards/7?$select=id").await, plain);
    let headers = [("accept", "application/json;odata.metadata=minimal")];
    let with_context = send(&service, (Method::GET, "/v2/boards/7"), &headers, None).await;
    assert_ne!(tag(&with_context), plain);
    // A record reads the same until it is changed, and so does its tag.
    assert_eq!(of(INCIDENT).await, of(INCIDENT).await);
}

#[tokio::test]
async fn a_packed_answer_has_a_tag_of_its_own_that_is_known_all_the_same() {
    let service = plant().await;
    // Small bodies are not compressed.
    let long = with(least_update(), &json!({"text": "crack ".repeat(1000)}));
    let plain = tag(&service.put(INCIDENT, &long).await);
    let gzip = ("accept-encoding", "gzip");
    let packed = send(&service, (Method::GET, INCIDENT), &[gzip], None).await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    let packed = packed.header("etag").to_owned();
    assert_ne!(packed, plain);
    let headers = [gzip, ("if-none-match", &packed)];
    let unchanged = send(&service, (Method::GET, INCIDENT), &headers, None).await;
    assert_eq!(
        (unchanged.status, unchanged.header("etag")),
        (304, plain.as_str())
    );
    assert_eq!(put(&service, INCIDENT, &packed, &long).await.status, 200);
}

/// A write answers with the same bytes as a following GET, so its tag is valid for the next write.
#[tokio::test]
async fn a_write_answers_with_the_tag_that_reads_have_from_then_on() {
    let service = plant().await;
    for (path, body) in [
        (INCIDENT, titled("Crack again")),
        ("/v1/Improvements/317", json!({"title": "Third clamp"})),
    ] {
        let before = tag(&service.get(path).await);
        let written = put(&service, path, &before, &body).await;
        let after = tag(&written);
        assert_ne!(after, before, "{path}");
        let read = service.get(path).await;
        assert_eq!(read.body, written.body, "{path}");
        assert_eq!(tag(&read), after, "{path}");
        tag(&put(&service, path, &after, &body).await);
    }
    let mut tag_now = tag(&service.get(INCIDENT).await);
    for (path, body) in [
        ("/v1/Incidents/100/causes", json!([{"id": 42}])),
        (
            "/v1/Incidents/100/consequences",
            json!([{"id": 52, "amount": 3}]),
        ),
        ("/v1/Incidents/100/externalId", json!("c9")),
        ("/v1/Incidents/100/status", json!({"status": "InProgress"})),
        ("/v1/Incidents/100/severity", json!({"severity": "High"})),
        (
            "/v1/Incidents/100/responsible",
            json!({"followUpGroupId": 4, "responsibleUserId": "u-104"}),
        ),
        ("/v1/Incidents/100/categories", json!([{"id": 32}])),
        ("/v1/Incidents/100/customfields/61", json!({"value": "M-1"})),
    ] {
        // One that was not made for this is never taken.
        let stale = put(&service, path, "\"nothing\"", &body).await;
        stale.is_problem(412, "precondition.failed");
        tag_now = tag(&put(&service, path, &tag_now, &body).await);
        assert_eq!(tag(&service.get(INCIDENT).await), tag_now, "{path}");
    }
}

#[tokio::test]
async fn who_names_an_older_state_changes_nothing() {
    let service = plant().await;
    for (path, body, other) in [
        (INCIDENT, titled("Mine"), titled("Theirs")),
        (
            "/v1/Improvements/317",
            json!({"title": "Mine"}),
            json!({"title": "Theirs"}),
        ),
    ] {
        let read = tag(&service.get(path).await);
        let theirs = service.put(path, &other).await;
        let current = tag(&theirs);
        for stale in [
            read.clone(),
            format!("W/{current}"),
            "\"nothing\"".to_owned(),
            format!("{read}, \"x\""),
        ] {
            let refused = put(&service, path, &stale, &body).await;
            let problem = refused.is_problem(412, "precondition.failed");
            assert_eq!(refused.header("etag"), current, "{stale}");
            let detail = problem["detail"].as_str().expect("a text");
            assert!(detail.contains(&current), "{detail}");
            assert_eq!(service.get(path).await.body, theirs.body, "{stale}");
        }
        for good in ["*".to_owned(), format!("{read}, {current}")] {
            let written = put(&service, path, &good, &other).await;
            assert_eq!(written.status, 200, "{good}: {}", written.text());
            // The next turn needs the tag that this one made.
            if good == "*" {
                service.put(path, &other).await;
                break;
            }
        }
    }
}

#[tokio::test]
async fn a_delete_takes_the_condition_too() {
    let service = plant().await;
    for path in [INCIDENT, "/v1/Improvements/317"] {
        let stale = [("if-match", "\"nothing\"")];
        let refused = send(&service, (Method::DELETE, path), &stale, None).await;
        refused.is_problem(412, "precondition.failed");
        let tag = tag(&service.get(path).await);
        let headers = [("if-match", tag.as_str())];
        let deleted = send(&service, (Method::DELETE, path), &headers, None).await;
        assert_eq!((deleted.status, deleted.text()), (200, String::new()));
        assert_eq!(service.get(path).await.status, 404);
    }
}

#[tokio::test]
async fn what_is_missing_is_reported_before_the_condition_and_the_state_after_it() {
    let service = plant().await;
    for path in ["/v1/Incidents/999", "/v1/Incidents/102"] {
        let missing = put(&service, path, "\"x\"", &titled("a")).await;
        missing.is_problem(404, "not_found");
    }
    let missing = put(&service, "/v1/Improvements/9", "\"x\"", &json!({})).await;
    missing.is_problem(404, "not_found");

    let conflict = with(least_update(), &json!({"evaluationStatus": "Good"}));
    let stale = put(&service, INCIDENT, "\"x\"", &conflict).await;
    stale.is_problem(412, "precondition.failed");
    let held = put(&service, INCIDENT, "*", &conflict).await;
    held.is_problem(409, "incident.evaluation");
    let unknown = with(least_update(), &json!({"areaId": 99}));
    let stale = put(&service, INCIDENT, "\"x\"", &unknown).await;
    stale.is_problem(412, "precondition.failed");
    // The body is looked at before the record.
    let empty = put(&service, INCIDENT, "\"x\"", &json!({})).await;
    empty.is_problem(400, "body.invalid");
}

#[tokio::test]
async fn a_condition_that_is_none_is_named() {
    let service = plant().await;
    let before = service.get(INCIDENT).await.body;
    for odd in ["abc", "", "\"abc", "*, \"a\""] {
        let refused = put(&service, INCIDENT, odd, &titled("a")).await;
        let problem = refused.is_problem(400, "header.invalid");
        let texts = problem["errors"]["If-Match"].as_array().expect("texts");
        let expected = format!("expected * or tags in double quotes, found `{odd}`");
        assert_eq!(texts, &[json!(expected)]);
    }
    assert_eq!(service.get(INCIDENT).await.body, before);
}

/// A list has no tag, so no client can have one.
#[tokio::test]
async fn a_tag_where_nothing_has_one_is_refused() {
    let service = plant().await;
    let headers = [("if-match", "\"x\"")];
    let post = (Method::POST, "/v1/Incidents");
    let body = crate::incidents_plant::least();
    let refused = send(&service, post, &headers, Some(&body)).await;
    refused.is_problem(412, "precondition.failed");
}
