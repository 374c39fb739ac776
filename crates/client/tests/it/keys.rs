//! Idempotency keys and tags (ETags).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use obeya::model::{CategoryInput, ImprovementUpdate, IncidentCreate, IncidentSeverity};
use obeya::{Client, Error, Tag};

use crate::support::{
    Clock, Counter, area, json, serve, token, wait, watched, with_credentials, with_token,
};

const LONG: Duration = Duration::from_secs(8);

/// What the service saw of each request that it got: its key and its condition.
type Seen = Arc<Mutex<Vec<(Option<String>, Option<String>)>>>;

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = headers.get(name)?.to_str().unwrap();
    Some(value.to_owned())
}

/// Routes that note what they see and answer with these statuses, one after another; the last one for good.
fn noting(statuses: &'static [u16]) -> (Router, Seen) {
    let seen = Seen::default();
    let note = Arc::clone(&seen);
    let answer = move |headers: HeaderMap| {
        let note = Arc::clone(&note);
        async move {
            let mut seen = note.lock().unwrap();
            seen.push((
                header(&headers, "idempotency-key"),
                header(&headers, "if-match"),
            ));
            let status = statuses[(seen.len() - 1).min(statuses.len() - 1)];
            answer(status)
        }
    };
    let routes = Router::new()
        .route("/v1/Incidents", post(answer.clone()))
        .route("/v1/Improvements/1", get(answer.clone()).put(answer));
    (routes, seen)
}

fn answer(status: u16) -> Response {
    let mut response = match status {
        503 => wait(503, "0"),
        status => json(status, r#"{"code":"x","title":"X"}"#),
    };
    let tag = HeaderValue::from_static("\"s1\"");
    response.headers_mut().insert("etag", tag);
    response
}

/// An issuer with this metadata.
fn says(supported: &'static str) -> Router {
    let document = move |headers: HeaderMap| async move {
        let host = header(&headers, "host").unwrap();
        let body = format!(r#"{{"token_endpoint":"http://{host}/connect/token"{supported}}}"#);
        json(200, body)
    };
    Router::new()
        .route("/.well-known/openid-configuration", get(document))
        .route("/connect/token", post(async || token(1)))
}

fn incident() -> IncidentCreate {
    IncidentCreate::new(
        3,
        IncidentSeverity::Low,
        "Leak",
        "2026-03-02".parse().unwrap(),
        vec![CategoryInput::new(1)],
    )
}

async fn create(client: &Client) -> Error {
    client.incidents().create(&incident()).await.unwrap_err()
}

fn keys(seen: &Seen) -> Vec<Option<String>> {
    let seen = seen.lock().unwrap();
    seen.iter().map(|(key, _)| key.clone()).collect()
}

#[tokio::test]
async fn every_try_of_a_create_carries_one_key_and_every_create_another() {
    let (routes, seen) = noting(&[429]);
    let url = serve(routes).await;
    let clock = Clock::stop();
    let (builder, mut tries) = watched(with_token(&url));
    let client = builder.build().unwrap();
    for _ in 0..2 {
        let client = client.clone();
        let call = tokio::spawn(async move { create(&client).await });
        for _ in 0..3 {
            tries.recv().await;
            clock.advance(LONG).await;
        }
        call.await.unwrap();
    }
    let keys = keys(&seen);
    assert_eq!(keys.len(), 6);
    assert!(keys.iter().all(Option::is_some), "{keys:?}");
    assert!(keys[..3].iter().all(|key| *key == keys[0]), "{keys:?}");
    assert!(keys[3..].iter().all(|key| *key == keys[3]), "{keys:?}");
    assert_ne!(keys[0], keys[3]);
}

/// A 503 without a known code may come from a proxy that forwarded the request.
#[tokio::test]
async fn a_create_is_repeated_where_keys_are_kept_to_and_nowhere_else() {
    for (supported, times) in [
        (r#","idempotency_key_supported":true"#, 3),
        (r#","idempotency_key_supported":false"#, 1),
        ("", 1),
    ] {
        let (routes, seen) = noting(&[503]);
        let url = serve(routes.merge(says(supported))).await;
        create(&with_credentials(&url).build().unwrap()).await;
        assert_eq!(keys(&seen).len(), times, "{supported}");
        // The caller's setting takes precedence over the issuer's metadata.
        let denied = with_credentials(&url).idempotency_keys(false);
        create(&denied.build().unwrap()).await;
        assert_eq!(keys(&seen).len(), times + 1, "{supported}");
    }
    let (routes, seen) = noting(&[503]);
    let url = serve(routes).await;
    create(&with_token(&url).build().unwrap()).await;
    assert_eq!(keys(&seen).len(), 1, "nobody has said that it does");
    let enabled = with_token(&url).idempotency_keys(true);
    create(&enabled.build().unwrap()).await;
    assert_eq!(keys(&seen).len(), 4);
}

#[tokio::test]
async fn whether_comments_stamp_their_incidents_is_what_the_issuer_says() {
    for (said, is_so) in [
        (r#","incident_stamps_cover_comments":true"#, true),
        (r#","incident_stamps_cover_comments":false"#, false),
        (r#","idempotency_key_supported":true"#, false),
    ] {
        let url = serve(says(said)).await;
        let client = with_credentials(&url).build().unwrap();
        let found = client
            .comments()
            .covered_by_incident_stamps()
            .await
            .unwrap();
        assert_eq!(found, is_so, "{said}");
        // Nobody is asked, so nobody says so.
        let client = with_token(&url).build().unwrap();
        assert!(
            !client
                .comments()
                .covered_by_incident_stamps()
                .await
                .unwrap()
        );
    }
}

#[tokio::test]
async fn a_key_of_the_callers_goes_with_writes_and_makes_them_repeatable() {
    let (routes, seen) = noting(&[503]);
    let url = serve(routes).await;
    let client = with_token(&url)
        .build()
        .unwrap()
        .idempotency_key(r#"order "17""#.replace(' ', "-"));
    create(&client).await;
    assert_eq!(keys(&seen), vec![Some(r#""order-\"17\"""#.to_owned()); 3]);
    client.improvements().get(1).await.unwrap_err();
    assert_eq!(keys(&seen)[3..], vec![None; 3], "a read needs none");

    let odd = client.idempotency_key("no spaces");
    let error = create(&odd).await;
    assert!(matches!(error, Error::Request { .. }), "{error:?}");
    assert_eq!(
        error.to_string(),
        "createIncident: the request could not be built: the idempotency key must be of visible ASCII characters"
    );
    assert_eq!(keys(&seen).len(), 6);
}

#[tokio::test]
async fn every_try_of_a_change_carries_one_key_without_a_condition_too() {
    let (routes, seen) = noting(&[502, 404]);
    let client = with_token(&serve(routes).await).build().unwrap();
    let update = ImprovementUpdate::default();
    let ended = client.improvements().update(1, &update).await;
    assert!(ended.unwrap_err().is_not_found());
    let keys = keys(&seen);
    assert_eq!(keys.len(), 2);
    assert!(keys[0].is_some() && keys[0] == keys[1], "{keys:?}");
}

#[tokio::test]
async fn a_condition_goes_with_changes_alone() {
    let (routes, seen) = noting(&[412, 404]);
    let url = serve(routes).await;
    let client = with_token(&url)
        .build()
        .unwrap()
        .if_match(Tag::new("\"s1\""));
    let update = ImprovementUpdate::default();
    let refused = client.improvements().update(1, &update).await;
    assert!(refused.unwrap_err().is_precondition_failed());
    let missing = client.improvements().get(1).await;
    assert!(!missing.unwrap_err().is_precondition_failed());
    create(&client).await;
    let conditions: Vec<_> = {
        let seen = seen.lock().unwrap();
        seen.iter()
            .map(|(_, condition)| condition.clone())
            .collect()
    };
    assert_eq!(conditions, [Some("\"s1\"".to_owned()), None, None]);
    // Its key distinguishes its retry from a concurrent change.
    let keys = keys(&seen);
    assert!(keys[0].is_some() && keys[1].is_none(), "{keys:?}");
    // Neither is on the client it was made from.
    let odd = client.if_match(Tag::new("\n"));
    let error = odd.improvements().update(1, &update).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "updateImprovement: the request could not be built: the tag cannot be sent in a header"
    );
}

#[tokio::test]
async fn a_record_comes_with_its_tag() {
    let asked = Counter::default();
    let count = asked.clone();
    let area = get(async move |method: Method| {
        assert_eq!(method, Method::GET);
        let mut response = json(200, r#"{"id":1,"name":"Line 2"}"#);
        if count.next() == 1 {
            let tag = HeaderValue::from_static("\"s1\"");
            response.headers_mut().insert("etag", tag);
        }
        response
    });
    let url = serve(Router::new().route("/v2/areas/1", area)).await;
    let client = with_token(&url).build().unwrap();
    let read = async || {
        let call = |client: Client| async move { client.areas().get(1).await };
        client.tagged(call).await.unwrap()
    };
    let tagged = read().await;
    assert_eq!(tagged.value.name.as_deref(), Some("Line 2"));
    assert_eq!(tagged.tag, Some(Tag::new("\"s1\"")));
    // From a service without tags.
    assert_eq!(read().await.tag, None);
}

#[tokio::test]
async fn an_answer_that_the_caller_has_does_not_come_again() {
    // The state that the service is in; of 0 it gives no tag.
    let state = Counter::default();
    let now = state.clone();
    let seen: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
    let note = Arc::clone(&seen);
    let area = get(async move |headers: HeaderMap| {
        let had = header(&headers, "if-none-match");
        note.lock().unwrap().push(had.clone());
        let tag = format!("\"s{}\"", now.total());
        if had.as_ref() == Some(&tag) {
            return StatusCode::NOT_MODIFIED.into_response();
        }
        let mut response = json(200, r#"{"id":1,"name":"Line 2"}"#);
        if now.total() > 0 {
            let tag = HeaderValue::try_from(tag).unwrap();
            response.headers_mut().insert("etag", tag);
        }
        response
    });
    let url = serve(Router::new().route("/v2/areas/1", area)).await;
    let client = with_token(&url).build().unwrap();
    let ask = async |tag: Option<&Tag>| {
        let call = |client: Client| async move { client.areas().get(1).await };
        client.tagged_unless(tag, call).await.unwrap()
    };
    let untagged = ask(None).await.unwrap();
    assert_eq!(untagged.tag, None);
    state.next();
    let first = ask(untagged.tag.as_ref()).await.unwrap();
    assert_eq!(first.tag, Some(Tag::new("\"s1\"")));
    assert_eq!(ask(first.tag.as_ref()).await, None);
    state.next();
    let second = ask(first.tag.as_ref()).await.unwrap();
    assert_eq!(second.value, first.value);
    assert_eq!(second.tag, Some(Tag::new("\"s2\"")));
    // Neither is the condition on the client that it was asked with.
    client.areas().get(1).await.unwrap();
    let conditions = seen.lock().unwrap().clone();
    let s1 = || Some("\"s1\"".to_owned());
    assert_eq!(conditions, [None, None, s1(), s1(), None]);
}

#[tokio::test]
async fn not_modified_is_no_answer_to_who_has_nothing() {
    let (routes, _) = area(|_| StatusCode::NOT_MODIFIED.into_response());
    let client = with_token(&serve(routes).await).build().unwrap();
    let call = |client: Client| async move { client.areas().get(1).await };
    let error = client.tagged_unless(None, call).await.unwrap_err();
    assert_eq!(error.status(), Some(304));
}
