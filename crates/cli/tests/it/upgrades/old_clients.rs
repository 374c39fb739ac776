//! What client programs of earlier builds sent, recorded with their own service by
//! `tests/upgrades/record.py`: the service of this build answers each request with what the program got then,
//! and perhaps with more.
//!
//! Only what a service makes anew may differ: tokens, tags, the times of what was written, and the details of
//! problems. The programs send such things back as they got them, and so does this. One property has another
//! type since ([`with_keys`]).

use std::collections::BTreeMap;
use std::io::Cursor;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_select::concat::concat_batches;
use jiff::Timestamp;
use obeya_testkit::Serving;
use obeya_testkit::postgres::Scratch;
use serde::Deserialize;
use serde_json::Value;

use super::{BUILDS, compare, json, put, with_keys};
use crate::binary::{database, run, serve_existing};

/// What the clients of a build sent, in order.
#[derive(Deserialize)]
struct Conversation {
    /// The address of the service, as they knew it.
    base: String,
    /// When the first of them started.
    started: Timestamp,
    exchanges: Vec<Exchange>,
}

/// A request, and what came back.
#[derive(Deserialize)]
struct Exchange {
    /// The command that sent it.
    client: String,
    method: String,
    path: String,
    headers: BTreeMap<String, String>,
    body: String,
    status: u16,
    answer_headers: BTreeMap<String, String>,
    /// In hexadecimal digits if it is Arrow.
    answer: String,
}

/// What came back now.
struct Answer {
    status: u16,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

/// What the service of then made, with what the one of now makes in its place.
struct Renewed {
    started: Timestamp,
    texts: BTreeMap<String, String>,
}

impl Renewed {
    /// A text of then, as it is now.
    fn apply(&self, text: &str) -> String {
        if let Some(now) = self.texts.get(text) {
            return now.clone();
        }
        let texts = self.texts.iter();
        texts.fold(text.to_owned(), |text, (then, now)| {
            // In a query the colons of a time are encoded.
            text.replace(then, now)
                .replace(&then.replace(':', "%3A"), &now.replace(':', "%3A"))
        })
    }

    /// A value of then, as it is now.
    fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.apply(&text).into(),
            Value::Array(values) => values.into_iter().map(|value| self.value(value)).collect(),
            Value::Object(values) => {
                let values = values.into_iter();
                values
                    .map(|(name, value)| (name, self.value(value)))
                    .collect()
            }
            other => other,
        }
    }

    /// Learns what was made anew in an answer.
    fn learn(&mut self, name: &str, then: &Value, now: &Value) {
        match (then, now) {
            (Value::Object(then), Value::Object(now)) => {
                for (name, then) in then {
                    self.learn(name, then, now.get(name).unwrap_or(&Value::Null));
                }
            }
            (Value::Array(then), Value::Array(now)) => {
                for (then, now) in then.iter().zip(now) {
                    self.learn(name, then, now);
                }
            }
            (Value::String(then), Value::String(now)) => {
                // The detail of a problem is for people: RFC 9457 (3.1.4) tells programs not to parse it.
                let is_new = ["access_token", "traceId", "etag", "detail"].contains(&name);
                if is_new || (self.is_of_the_recording(then) && self.is_of_the_recording(now)) {
                    // The first one counts: a time that is another one later is a difference.
                    self.texts.entry(then.clone()).or_insert(now.clone());
                }
            }
            _ => {}
        }
    }

    /// Whether a text is a time after the recording started.
    fn is_of_the_recording(&self, text: &str) -> bool {
        let time = text.parse::<Timestamp>();
        time.is_ok_and(|time| time >= self.started)
    }
}

impl Exchange {
    fn send(&self, url: &str, renewed: &Renewed) -> Answer {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .build()
            .new_agent();
        let mut request = ureq::http::Request::builder()
            .method(self.method.as_str())
            .uri(format!("{url}{}", renewed.apply(&self.path)));
        for (name, value) in &self.headers {
            request = request.header(name, renewed.apply(value));
        }
        let request = request.body(renewed.apply(&self.body)).expect("a request");
        let answer = agent.run(request).expect("an answer");
        let headers = answer.headers().iter();
        Answer {
            status: answer.status().as_u16(),
            headers: headers
                .map(|(name, value)| (name.to_string(), value.to_str().expect("text").to_owned()))
                .collect(),
            body: answer.into_body().read_to_vec().expect("a body"),
        }
    }

    /// What the answer of then had and the one of now has not.
    fn missing(&self, now: &Answer, renewed: &mut Renewed) -> Vec<String> {
        let mut differences = Vec::new();
        let mut compare = |place: &str, then: Value, now: Value| {
            renewed.learn("", &then, &now);
            compare(place, &renewed.value(then), &now, &mut differences);
        };
        let headers = |headers| serde_json::to_value(headers).expect("JSON");
        compare("status", self.status.into(), now.status.into());
        compare(
            "header",
            headers(&self.answer_headers),
            headers(&now.headers),
        );
        let kind = self
            .answer_headers
            .get("content-type")
            .map_or("", String::as_str);
        if kind.contains("json") {
            let then = serde_json::from_str(&self.answer).expect("JSON");
            compare(
                "body",
                with_keys(then),
                serde_json::from_slice(&now.body).unwrap_or_default(),
            );
        } else if kind.contains("arrow") {
            let then: Vec<u8> = (0..self.answer.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(&self.answer[at..at + 2], 16).expect("hexadecimal"))
                .collect();
            let (then, now) = (rows(&then), rows(&now.body));
            for (field, column) in then.schema().fields().iter().zip(then.columns()) {
                if now.column_by_name(field.name()) != Some(column) {
                    differences.push(format!("column {}: {column:?}", field.name()));
                }
            }
        } else {
            assert_eq!(self.answer, "", "{kind}");
        }
        differences
    }
}

/// The rows of an Arrow stream.
fn rows(stream: &[u8]) -> RecordBatch {
    let stream = StreamReader::try_new(Cursor::new(stream), None).expect("a stream");
    let schema = stream.schema();
    let batches: Vec<RecordBatch> = stream.map(|batch| batch.expect("a batch")).collect();
    concat_batches(&schema, &batches).expect("rows")
}

/// Replays the clients of each build. `place` puts the SQLite database of a build where a service is to
/// have it, and returns its address.
fn replay(place: impl Fn(&str) -> String) {
    let mut replayed = 0;
    for build in BUILDS {
        let Some(conversation) = json::<Conversation>(build, "clients.json") else {
            continue;
        };
        replayed += 1;
        let (folder, db) = database();
        put(build, folder.path());
        run(["client", "list", "--db", &db]).success();
        let base = &conversation.base;
        let serving = serve_existing(
            &place(&db),
            &["--base-url", base, "--auth-url", base, "--log", "off"],
        );
        conversation.replay(build, &serving);
    }
    assert_eq!(replayed, BUILDS.len());
}

impl Conversation {
    fn replay(&self, build: &str, serving: &Serving) {
        let mut renewed = Renewed {
            started: self.started,
            texts: BTreeMap::new(),
        };
        let mut all = Vec::new();
        for exchange in &self.exchanges {
            let now = exchange.send(&serving.url, &renewed);
            let missing = exchange.missing(&now, &mut renewed);
            if !missing.is_empty() {
                let Exchange {
                    client,
                    method,
                    path,
                    ..
                } = exchange;
                all.push(format!("{client}: {method} {path}: {missing:#?}"));
            }
        }
        assert!(all.is_empty(), "{build}: {}", all.join("\n"));
        // The oldest build had no pull and no sync.
        assert!(self.exchanges.len() >= 40, "{build}");
    }
}

#[test]
fn a_service_on_a_file_answers_clients_of_each_build_as_theirs_did() {
    replay(str::to_owned);
}

#[test]
fn a_service_on_a_server_answers_clients_of_each_build_as_theirs_did() {
    let databases = std::cell::RefCell::new(Vec::new());
    replay(|file| {
        let database = Scratch::empty();
        run(["migrate", "--from", file, "--to", database.url()]).success();
        let db = database.url().to_owned();
        // Until the service on it has ended.
        databases.borrow_mut().push(database);
        db
    });
}
