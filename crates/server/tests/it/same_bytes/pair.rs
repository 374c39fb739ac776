//! The service on each engine, with the same requests; differences are collected, so that one run shows all
//! of them.

use std::sync::Arc;

use obeya_server::Config;
use obeya_server::store::{Dialect, Session, StoreError};
use reqwest::Method;
use serde_json::Value;

use crate::support::{Answer, Database, Service};

/// Under which both are reached, as far as they know.
const BASE: &str = "http://plant.example";

/// The service on each engine.
pub struct Pair {
    pub sqlite: Service,
    pub postgres: Service,
    asked: usize,
    differing: Vec<String>,
}

impl Pair {
    /// Over what `fill` writes into each.
    pub async fn new(
        change: impl Fn(&mut Config),
        fill: impl Fn(&mut dyn Session) -> Result<(), StoreError> + Clone + Send + 'static,
    ) -> Self {
        let pair = Self::on(
            Database::on(Dialect::Sqlite),
            Database::on(Dialect::Postgres),
            change,
        )
        .await;
        for service in [&pair.sqlite, &pair.postgres] {
            service.store().write(fill.clone()).await.expect("the rows");
        }
        pair
    }

    pub async fn on(sqlite: Database, postgres: Database, change: impl Fn(&mut Config)) -> Self {
        let change = |config: &mut Config| {
            config.base_url = Some(BASE.to_owned());
            change(config);
        };
        Self {
            sqlite: Service::start_on(Arc::new(sqlite), change).await,
            postgres: Service::start_on(Arc::new(postgres), change).await,
            asked: 0,
            differing: Vec::new(),
        }
    }

    /// Requests from both, including every further page.
    pub async fn get(&mut self, path: &str) {
        let mut paths = [path.to_owned(), path.to_owned()];
        loop {
            let [left, right] = &paths;
            let left = self.sqlite.request(Method::GET, left);
            let right = self.postgres.request(Method::GET, right);
            let next = self.compare(path, left, right).await;
            let [Some(left), Some(right)] = next else {
                return;
            };
            paths = [left, right];
        }
    }

    /// Sends a body to both; the answer of the first.
    pub async fn send(&mut self, method: &Method, path: &str, body: &Value) -> Value {
        let left = self.sqlite.request(method.clone(), path).json(body);
        let right = self.postgres.request(method.clone(), path).json(body);
        let (left, right) = tokio::join!(Answer::of(left), Answer::of(right));
        self.note(&format!("{method} {path} {body}"), &left, &right);
        serde_json::from_slice(&left.body).unwrap_or_default()
    }

    /// The next links of both answers, if both have one.
    pub async fn compare(
        &mut self,
        what: &str,
        left: reqwest::RequestBuilder,
        right: reqwest::RequestBuilder,
    ) -> [Option<String>; 2] {
        let (left, right) = tokio::join!(Answer::of(left), Answer::of(right));
        self.note(what, &left, &right);
        [left, right].map(|answer| {
            let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            let link = body["@odata.nextLink"].as_str()?.strip_prefix(BASE)?;
            Some(link.to_owned())
        })
    }

    fn note(&mut self, what: &str, left: &Answer, right: &Answer) {
        self.asked += 1;
        let (left, right) = (comparable(left), comparable(right));
        if left != right {
            self.differing.push(format!("{what}\n  {left}\n  {right}"));
        }
    }

    /// Fails if any answer differed, or if fewer were compared than there should be.
    pub fn agree(&self, at_least: usize) {
        assert!(
            self.differing.is_empty(),
            "{} of {} differ:\n{}",
            self.differing.len(),
            self.asked,
            self.differing.join("\n")
        );
        assert!(self.asked >= at_least, "{} requests", self.asked);
    }
}

/// Headers that are others with every answer: its time, its id, and whether it came in one piece, which is a
/// matter of how fast it came.
const PASSING: [&str; 4] = [
    "date",
    "x-request-id",
    "content-length",
    "transfer-encoding",
];

/// An answer as text, without parts that differ in every answer, such as the signature in links.
fn comparable(answer: &Answer) -> String {
    let mut text = format!("{}\n", answer.status);
    for (name, value) in &answer.headers {
        if !PASSING.contains(&name.as_str()) {
            text.push_str(&format!("{name}: {value:?}\n"));
        }
    }
    let body = match std::str::from_utf8(&answer.body) {
        Ok(text) => text.to_owned(),
        Err(_) => answer.body.escape_ascii().to_string(),
    };
    let body = without(&body, "\"traceId\":\"", &['"']);
    text + &without(&body, "$skiptoken=", &['"', '&'])
}

/// The text without what follows each mark, up to one of the ends.
fn without(text: &str, mark: &str, ends: &[char]) -> String {
    let mut parts = text.split(mark);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(ends).unwrap_or(part.len());
        kept.push_str(mark);
        kept.push_str(&part[end..]);
    }
    kept
}
