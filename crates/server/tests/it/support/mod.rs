//! The real service on a database of its own, and callers for it.
//!
//! ```ignore
//! let service = Service::start().await;
//! let answer = service.get("/v2/areas").await;      // with a token that may do everything
//! assert_eq!(answer.status, 200);
//! service.get("/v2/areas/x").await.is_problem(400, "path.invalid");
//! ```
//! Rows are put in through `service.store()`; time is `service.clock`'s.

mod database;
pub mod raw;
pub mod sql;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use obeya_server::store::Store;
use obeya_server::{Clock, Config, Running, Server};
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;

pub use database::Database;

/// Where the clock of a test starts: 2025-06-02T08:00:00Z, a Monday.
pub const START: i64 = 1_748_851_200;

/// The headers of a request over a bare socket, after which the service closes.
pub const COMMON: &str = "Host: plant.example\r\nConnection: close\r\n";

/// The scopes that open everything.
pub const ALL: [&str; 2] = ["public.api.read", "public.api.write"];

/// A service with its database, its clock and a client.
pub struct Service {
    pub running: Running,
    pub clock: TestClock,
    pub http: reqwest::Client,
    pub database: Arc<Database>,
    token: String,
}

impl Service {
    /// On a new database, with a client that may do everything.
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// The same, with some settings changed.
    pub async fn start_with(change: impl FnOnce(&mut Config)) -> Self {
        Self::start_on(Arc::new(Database::new()), change).await
    }

    /// On a database that another service may use too.
    pub async fn start_on(database: Arc<Database>, change: impl FnOnce(&mut Config)) -> Self {
        let mut service = Self::start_untried(database, change).await;
        service.token = service.token_for(&ALL).await;
        service
    }

    /// The same without a token, for a service that the plain client of the tests cannot reach.
    pub async fn start_without_token(change: impl FnOnce(&mut Config)) -> Self {
        Self::start_untried(Arc::new(Database::new()), change).await
    }

    async fn start_untried(database: Arc<Database>, change: impl FnOnce(&mut Config)) -> Self {
        let clock = TestClock::default();
        let mut config = Config::new(database.url());
        config.clock = clock.clock();
        change(&mut config);
        let running = Server::start(config).await.expect("started");
        Self {
            running,
            clock,
            http: client(),
            database,
            token: String::new(),
        }
    }

    /// The URL of its database, for the administrative functions.
    pub fn db(&self) -> &str {
        self.database.url()
    }

    /// Its store, to put rows in and look at them.
    pub fn store(&self) -> &Store {
        self.running.store()
    }

    /// The absolute URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.running.address())
    }

    /// The token that may do everything.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// A token of a new client with these scopes.
    pub async fn token_for(&self, scopes: &[&str]) -> String {
        let client = self
            .running
            .add_client("test", scopes)
            .await
            .expect("a client");
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", &client.client_id),
            ("client_secret", &client.client_secret),
        ];
        let answer = self.ask_token(&form).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["access_token"]
            .as_str()
            .expect("a token")
            .to_owned()
    }

    /// A token request by form.
    pub async fn ask_token(&self, form: &[(&str, &str)]) -> Answer {
        Answer::of(self.http.post(self.url("/connect/token")).form(form)).await
    }

    /// A request with the token that may do everything, to be completed and given to [`Answer::of`].
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http
            .request(method, self.url(path))
            .bearer_auth(&self.token)
    }

    pub async fn get(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::GET, path)).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        Answer::of(self.request(Method::PUT, path).json(body)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        Answer::of(self.request(Method::POST, path).json(body)).await
    }

    /// Attaches a file to the record at this address.
    pub async fn attach(&self, path: &str, name: &str, content: &[u8]) -> Answer {
        let request = self.request(Method::POST, &format!("{path}/attachments"));
        let request = request.header(CONTENT_TYPE, FORM);
        Answer::of(request.body(file_form(name, content))).await
    }

    /// A GET with another token, or none.
    pub async fn get_as(&self, token: Option<&str>, path: &str) -> Answer {
        let request = self.http.get(self.url(path));
        Answer::of(match token {
            Some(token) => request.bearer_auth(token),
            None => request,
        })
        .await
    }

    /// A metric of `/metrics`, by the start of its line; 0 if there is no such line.
    pub async fn figure(&self, series: &str) -> u64 {
        let text = self.get_as(None, "/metrics").await.text();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        line.map_or(0, |value| value.parse().expect("a number"))
    }
}

/// The media type of [`file_form`].
pub const FORM: &str = "multipart/form-data; boundary=b";

/// A form with one file.
pub fn file_form(name: &str, content: &[u8]) -> Vec<u8> {
    let head = format!(
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"
    );
    [head.as_bytes(), content, b"\r\n--b--\r\n"].concat()
}

/// A client without proxies, compression or retries.
fn client() -> reqwest::Client {
    // The client is built with TLS although these tests speak plain HTTP; a second installation fails and
    // changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .no_proxy()
        .no_gzip()
        .build()
        .expect("a client")
}

/// What came back, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    /// Sends a request and reads the answer.
    pub async fn of(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.bytes().await.expect("a body").to_vec();
        Self {
            status,
            headers,
            body,
        }
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// A header; empty if it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().expect("ASCII"))
    }

    /// Asserts a problem (RFC 9457) with this status and code, complete in every member, and returns its
    /// body.
    #[track_caller]
    pub fn is_problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(
            self.header(CONTENT_TYPE.as_str()),
            "application/problem+json"
        );
        let body = self.json();
        assert_eq!(body["code"], code, "{body:#}");
        assert_eq!(body["status"], status);
        assert_eq!(body["type"], format!("urn:obeya:problem:{code}"));
        for member in ["title", "detail", "instance", "traceId"] {
            assert!(
                body[member].as_str().is_some_and(|text| !text.is_empty()),
                "{member} in {body:#}"
            );
        }
        let is_v2 = body["instance"]
            .as_str()
            .is_some_and(|path| path.to_lowercase().starts_with("/v2/"));
        assert_eq!(
            body["error"]["code"].as_str(),
            is_v2.then_some(code),
            "{body:#}"
        );
        body
    }
}

/// A clock that is stopped until it is moved.
#[derive(Clone)]
pub struct TestClock {
    now: Arc<AtomicI64>,
    monotonic: Arc<AtomicU64>,
}

impl Default for TestClock {
    fn default() -> Self {
        Self {
            now: Arc::new(AtomicI64::new(START)),
            monotonic: Arc::default(),
        }
    }
}

impl TestClock {
    /// Moves the time of day on.
    pub fn advance(&self, seconds: i64) {
        self.now.fetch_add(seconds, Ordering::SeqCst);
    }

    /// Moves the monotonic clock on, by which periods are measured that must not depend on the time of day.
    pub fn elapse(&self, seconds: u64) {
        self.monotonic.fetch_add(seconds, Ordering::SeqCst);
    }

    /// It as the clock of a service.
    pub fn clock(&self) -> Clock {
        let (now, monotonic) = (Arc::clone(&self.now), Arc::clone(&self.monotonic));
        let clock = Clock::new(move || {
            jiff::Timestamp::from_second(now.load(Ordering::SeqCst)).expect("in range")
        });
        clock.with_monotonic(move || Duration::from_secs(monotonic.load(Ordering::SeqCst)))
    }
}
