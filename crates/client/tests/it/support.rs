//! Test support: a server for canned routes, a paused clock, and an observer of attempts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use obeya::{Client, ClientBuilder, Exchange};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Serves the routes on a free port until the test ends; returns the URL.
pub async fn serve(routes: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    format!("http://{address}")
}

/// Settings of a client with a fixed token.
pub fn with_token(url: &str) -> ClientBuilder {
    Client::builder().base_url(url).token("fixed")
}

/// Settings of a client that gets its tokens from the issuer at the same address.
pub fn with_credentials(url: &str) -> ClientBuilder {
    Client::builder()
        .base_url(url)
        .client_id("plant")
        .client_secret("hunter2")
}

/// A JSON answer.
pub fn json(status: u16, body: impl Into<String>) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, body.into()).into_response()
}

/// A token answer: `token-1`, `token-2` and so on.
pub fn token(number: usize) -> Response {
    let body = format!(
        r#"{{"access_token":"token-{number}","expires_in":86400,"token_type":"Bearer","scope":"Data.Read Data.ReadWrite"}}"#
    );
    json(200, body)
}

/// Counts requests.
#[derive(Clone, Default)]
pub struct Counter(Arc<AtomicUsize>);

impl Counter {
    /// Counts one more and returns the total.
    pub fn next(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub fn total(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// An issuer at the default path of the interface, without a discovery document.
pub fn issuer(fetches: &Counter) -> Router {
    let fetches = fetches.clone();
    Router::new().route("/connect/token", post(async move || token(fetches.next())))
}

/// An issuer at the default path, answered by a function of the number of requests.
pub fn issuer_answering(
    answer: impl Fn(usize) -> Response + Clone + Send + Sync + 'static,
) -> (Router, Counter) {
    let asked = Counter::default();
    let count = asked.clone();
    let token = post(async move || answer(count.next()));
    (Router::new().route("/connect/token", token), asked)
}

/// `GET /v2/areas/1`, answered by a function of the number of requests.
pub fn area(
    answer: impl Fn(usize) -> Response + Clone + Send + Sync + 'static,
) -> (Router, Counter) {
    let asked = Counter::default();
    let count = asked.clone();
    let routes = Router::new().route("/v2/areas/1", get(async move || answer(count.next())));
    (routes, asked)
}

/// A successful response.
pub fn found() -> Response {
    json(200, r#"{"id":1,"name":"Line 2"}"#)
}

/// A refusal with `Retry-After`.
pub fn wait(status: u16, retry_after: &'static str) -> Response {
    let mut response = json(status, "");
    let value = HeaderValue::from_static(retry_after);
    response.headers_mut().insert(header::RETRY_AFTER, value);
    response
}

/// A paused clock that only `advance` moves. (Tokio would auto-advance it each time a response is awaited; a
/// blocking task prevents that.)
pub struct Clock {
    _hold: std::sync::mpsc::Sender<()>,
}

impl Clock {
    pub fn stop() -> Self {
        let (hold, held) = std::sync::mpsc::channel::<()>();
        tokio::task::spawn_blocking(move || held.recv());
        tokio::time::pause();
        Self { _hold: hold }
    }

    pub async fn advance(&self, by: Duration) {
        tokio::time::advance(by).await;
    }
}

/// The attempts of a client as they end: number and status. After receiving one, the client is already in its
/// next wait, because the test shares its thread.
pub type Tries = UnboundedReceiver<(u32, Option<u16>)>;

/// Settings with an observer of the attempts.
pub fn watched(builder: ClientBuilder) -> (ClientBuilder, Tries) {
    let (send, tries) = unbounded_channel();
    let observer = move |exchange: &Exchange<'_>| {
        // The test may have ended.
        let _ = send.send((exchange.attempt, exchange.status));
    };
    (builder.observe(Arc::new(observer)), tries)
}
