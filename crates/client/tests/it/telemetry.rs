//! What a program learns of its calls beside their answers: `tracing`, and the response with its headers.

use std::io::Write;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use obeya::call;
use tracing::Instrument as _;

use crate::limits::plant_at;
use crate::support::{
    area, found, issuer_answering, json, serve, token, wait, with_credentials, with_token,
};

/// What a subscriber wrote.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes all events of this thread down to DEBUG, without their time, until the guard is dropped.
fn subscribe() -> (Written, tracing::subscriber::DefaultGuard) {
    let written = Written::default();
    let writer = written.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .without_time()
        .with_writer(move || writer.clone())
        .finish();
    (written, tracing::subscriber::set_default(subscriber))
}

fn identified(mut response: Response) -> Response {
    let id = "r-4711".parse().unwrap();
    response.headers_mut().insert("x-request-id", id);
    response
}

#[tokio::test]
async fn each_attempt_is_an_event_of_the_span_of_its_call() {
    let (written, guard) = subscribe();
    let (routes, _) = area(|asked| identified(if asked == 1 { wait(429, "0") } else { found() }));
    let client = with_token(&serve(routes).await).build().unwrap();
    let get = call::GetArea {
        filter: Some("name eq 'Ingrid'"),
        ..call::GetArea::new(1)
    };
    client.call(&get).await.unwrap();
    drop(guard);
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    let span = r#"DEBUG call{operation="getArea" method=GET}: obeya::transport: "#;
    let lines: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix(span))
        .map(|line| line.split(" milliseconds").next().unwrap())
        .collect();
    assert_eq!(
        lines,
        [
            r#"answered operation="getArea" attempt=1 status=429 request_id="r-4711""#,
            r#"waits for another attempt operation="getArea" attempt=1"#,
            r#"answered operation="getArea" attempt=2 status=200 request_id="r-4711""#,
        ],
        "{text}"
    );
    for secret in ["fixed", "Bearer", "Ingrid"] {
        assert!(!text.contains(secret), "{text}");
    }
}

/// Pages that are fetched ahead are requested by tasks of their own.
#[tokio::test]
async fn a_page_that_is_fetched_ahead_is_a_call_within_the_callers_span() {
    let (written, guard) = subscribe();
    let (url, _) = plant_at().await;
    let client = with_token(&url).build().unwrap();
    let values = client.datasources().values(9).page_size(10).stream();
    values
        .all()
        .instrument(tracing::info_span!("nightly"))
        .await
        .unwrap();
    drop(guard);
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    let answers: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("answered"))
        .collect();
    assert_eq!(answers.len(), 10, "{text}");
    let within = answers
        .iter()
        .filter(|line| line.contains(" nightly:call{"));
    assert_eq!(within.count(), 10, "{text}");
}

#[tokio::test]
async fn a_request_for_a_token_is_an_event_without_the_token() {
    let (written, guard) = subscribe();
    let (busy, _) = issuer_answering(|asked| match asked {
        1 => wait(503, "0"),
        _ => token(1),
    });
    let client = with_credentials(&serve(busy).await).build().unwrap();
    client.authenticate().await.unwrap();
    drop(guard);
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    // The first request is for the discovery document.
    let answers = [(1, 404), (1, 503), (2, 200)];
    let events = answers.map(|(attempt, status)| {
        format!(r#"answered operation="token" attempt={attempt} status={status}"#)
    });
    let positions = events.map(|event| {
        text.find(&event)
            .unwrap_or_else(|| panic!("{event}: {text}"))
    });
    assert!(positions.is_sorted(), "{text}");
    for secret in ["token-1", "hunter2"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[tokio::test]
async fn a_reply_has_the_status_and_the_headers() {
    let (routes, _) = area(|_| identified(found()));
    let client = with_token(&serve(routes).await).build().unwrap();
    let reply = client
        .call_with_reply(&call::GetArea::new(1))
        .await
        .unwrap();
    assert_eq!(reply.status(), 200);
    assert_eq!(reply.headers()["x-request-id"], "r-4711");
    assert_eq!(reply.into_inner().id, Some(1));
}

/// On every request: also on those for the pages after the first, whose address the service sends.
#[tokio::test]
async fn a_header_of_the_callers_is_on_every_request() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&seen);
    let answer = async move |headers: HeaderMap| {
        let mut seen = note.lock().unwrap();
        let text = |name: &str| Some(headers.get(name)?.to_str().unwrap().to_owned());
        seen.push((text("x-line"), text("authorization")));
        let next = if seen.len() == 1 {
            r#""?$skiptoken=2""#
        } else {
            "null"
        };
        json(200, format!(r#"{{"value":[],"@odata.nextLink":{next}}}"#))
    };
    let routes = Router::new().route("/v2/areas", get(answer));
    let client = with_token(&serve(routes).await).build().unwrap();
    let lined = client.header("X-Line", "Line 2").unwrap();
    let lined = lined.header("authorization", "mine").unwrap();
    lined.areas().list().stream().all().await.unwrap();
    client.areas().list().await.unwrap();
    let token = Some("Bearer fixed".to_owned());
    let with_line = (Some("Line 2".to_owned()), token.clone());
    assert_eq!(
        *seen.lock().unwrap(),
        [with_line.clone(), with_line, (None, token)]
    );
    let error = client.header("x-line", "secret\n").unwrap_err().to_string();
    assert_eq!(
        error,
        "header: the value of x-line has characters that a header cannot contain"
    );
    assert!(client.header("x line", "").is_err());
    for name in [
        "accept",
        "connection",
        "content-length",
        "content-type",
        "host",
        "idempotency-key",
        "if-match",
        "if-none-match",
        "transfer-encoding",
    ] {
        let error = client.header(name, "1").unwrap_err().to_string();
        let expected = format!("header: found {name}, which the client sets itself");
        assert_eq!(error, expected);
    }
}

/// Handles are shared by threads and moved into tasks.
#[test]
fn handles_go_anywhere() {
    fn anywhere<T: Send + Sync + Clone + 'static>() {}
    fn movable<T: Send + 'static>(_: &T) {}
    anywhere::<obeya::Client>();
    anywhere::<obeya::Incidents>();
    anywhere::<obeya::Error>();
    anywhere::<obeya::Edit<obeya::model::IncidentV1>>();
    let client = with_token("http://127.0.0.1:9").build().unwrap();
    movable(&client.incidents().list().stream());
    movable(&client.incidents().edit(7).text("x").send());
    movable(&client.datasources().values(1).stream());
}
