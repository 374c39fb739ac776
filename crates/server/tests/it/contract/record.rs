//! The requests and answers of a test; each answer is checked against the specification as it arrives.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use obeya::{Exchange, Observer};
use serde_json::Value;

use super::schema::{Described, Judge, operations};
use crate::support::Answer;

/// Sees every answer: the SDK's through its observer, others by [`Recorder::saw`].
#[derive(Clone, Default)]
pub struct Recorder(Arc<Mutex<Seen>>);

#[derive(Default)]
struct Seen {
    judge: Judge,
    /// By operation: statuses, and codes where there is one.
    answers: BTreeMap<String, BTreeSet<String>>,
    faults: Vec<String>,
}

impl Observer for Recorder {
    fn exchange(&self, exchange: &Exchange<'_>) {
        let status = exchange.status.expect("an answer");
        let media_type = exchange.content_type.unwrap_or_default();
        self.judge(exchange.operation, status, media_type, exchange.body);
    }
}

impl Recorder {
    /// Judges an answer that did not come through the SDK.
    pub fn saw(&self, operation: &str, answer: &Answer) {
        let media_type = answer.header("content-type");
        self.judge(operation, answer.status, media_type, &answer.body);
    }

    /// What each operation answered: `200`, `404 not_found`…
    pub fn answers(&self) -> BTreeMap<String, BTreeSet<String>> {
        self.0
            .lock()
            .expect("no test panicked in here")
            .answers
            .clone()
    }

    /// Asserts that every answer was one the specification describes.
    #[track_caller]
    pub fn finds_no_fault(&self) {
        let faults = &self.0.lock().expect("no test panicked in here").faults;
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    fn judge(&self, operation: &str, status: u16, media_type: &str, body: &[u8]) {
        let operation: &Described = operations()
            .iter()
            .find(|described| described.id == operation)
            .unwrap_or_else(|| panic!("{operation} is not described"));
        let mut seen = self.0.lock().expect("no test panicked in here");
        let faults = seen.judge.faults(operation, status, media_type, body);
        let text = String::from_utf8_lossy(body);
        seen.faults.extend(
            faults
                .into_iter()
                .map(|fault| format!("{} {status}: {fault}\n  {text}", operation.id)),
        );
        let code = serde_json::from_slice::<Value>(body)
            .ok()
            .filter(|_| status != 200)
            .and_then(|body| Some(format!("{status} {}", body["code"].as_str()?)));
        let answers = seen.answers.entry(operation.id.clone()).or_default();
        answers.insert(code.unwrap_or_else(|| status.to_string()));
    }
}
