//! The metrics at `/metrics`, in the Prometheus text format.
//!
//! Every series that a request changes is created at start and found by index, so counting a request needs no
//! look-up.

use std::fmt;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http::StatusCode;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// Upper bounds of the buckets in seconds: from a look-up by id to the deadline of a request.
const BUCKETS: [f64; 12] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0,
];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabel {
    operation: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StatusLabel {
    operation: &'static str,
    status: &'static str,
}

/// The classes of status. There is one series for each class, so that clients cannot create new ones.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// All metrics of a service.
pub(crate) struct Metrics {
    registry: Registry,
    series: Vec<Series>,
    /// Issued tokens.
    pub(crate) tokens_issued: Counter,
    /// Refused token requests.
    pub(crate) tokens_refused: Counter,
    /// Checked secrets, including those of unknown clients.
    pub(crate) secret_checks: Counter,
    /// Requests being answered.
    pub(crate) in_flight: Gauge,
    queued_writes: Gauge,
    repeated_commits: Counter,
    answer_bytes: Gauge,
    body_bytes: Gauge,
    memory_limit: Gauge,
    memory_refused: Counter,
    cached_tokens: Gauge,
}

struct Series {
    statuses: [Counter; CLASSES.len()],
    seconds: Histogram,
}

/// Values that are read when the metrics are requested.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Observed {
    /// Writes waiting for the store.
    pub(crate) queued_writes: usize,
    /// How often the writes of a commit ran again.
    pub(crate) repeated_commits: u64,
    /// The memory of bodies and answers.
    pub(crate) memory: MemoryUse,
    /// Verified tokens in the cache.
    pub(crate) cached_tokens: usize,
}

/// The use of the memory for request bodies and unsent answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryUse {
    /// Bytes of answers that are buffered for their clients.
    pub(crate) answers: usize,
    /// Bytes of the bodies of requests.
    pub(crate) bodies: usize,
    /// The limit of both.
    pub(crate) limit: usize,
    /// How often memory was refused.
    pub(crate) refused: u64,
}

impl Metrics {
    /// Creates one set of series for each of these names, addressed by index.
    pub(crate) fn new(operations: &[&'static str]) -> Self {
        let mut registry = Registry::with_prefix("obeya");
        let requests = Family::<StatusLabel, Counter>::default();
        let seconds =
            Family::<OperationLabel, Histogram>::new_with_constructor(|| Histogram::new(BUCKETS));
        registry.register(
            "http_requests",
            "Requests answered, by operation and class of status",
            requests.clone(),
        );
        registry.register_with_unit(
            "http_request_duration",
            "Time from the head of a request to the head of its answer",
            Unit::Seconds,
            seconds.clone(),
        );
        let series = operations
            .iter()
            .map(|operation| Series {
                statuses: CLASSES
                    .map(|status| requests.get_or_create_owned(&StatusLabel { operation, status })),
                seconds: seconds.get_or_create_owned(&OperationLabel { operation }),
            })
            .collect();
        let mut counter = |name: &str, help: &str| {
            let counter = Counter::default();
            registry.register(name, help, counter.clone());
            counter
        };
        let tokens_issued = counter("tokens_issued", "Access tokens issued");
        let tokens_refused = counter("tokens_refused", "Token requests refused");
        let secret_checks = counter(
            "secret_checks",
            "Client secrets checked, those of unknown clients included",
        );
        let repeated_commits = counter(
            "store_repeated_commits",
            "How often the writes of a commit ran again: after a failure of one that had changed something, or after a conflict with another transaction",
        );
        let memory_refused = counter(
            "http_memory_refused",
            "How often there was no memory for a request body or for bytes of a response",
        );
        let mut gauge = |name: &str, help: &str| {
            let gauge: Gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let in_flight = gauge("http_requests_in_flight", "Requests being answered");
        let queued_writes = gauge("store_queued_writes", "Writes waiting for the store");
        let answer_bytes = gauge(
            "http_held_bytes",
            "Bytes of responses buffered for slow clients",
        );
        let body_bytes = gauge("http_body_bytes", "Bytes of request bodies in memory");
        let memory_limit = gauge(
            "http_memory_limit_bytes",
            "Limit of the bytes of request bodies and buffered responses",
        );
        let cached_tokens = gauge("tokens_remembered", "Verified tokens remembered");
        Self {
            registry,
            series,
            tokens_issued,
            tokens_refused,
            secret_checks,
            in_flight,
            queued_writes,
            repeated_commits,
            answer_bytes,
            body_bytes,
            memory_limit,
            memory_refused,
            cached_tokens,
        }
    }

    /// Counts an answer of the operation at `index`.
    pub(crate) fn answered(&self, index: usize, status: StatusCode, took: Duration) {
        let Some(series) = self.series.get(index) else {
            return;
        };
        let class = usize::from(status.as_u16() / 100)
            .saturating_sub(1)
            .min(CLASSES.len() - 1);
        series.statuses[class].inc();
        series.seconds.observe(took.as_secs_f64());
    }

    /// The metrics as text.
    pub(crate) fn render(&self, observed: Observed) -> Result<String, fmt::Error> {
        let gauge = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.queued_writes.set(gauge(observed.queued_writes));
        // The store has its own counter; adding differences could count a repetition twice.
        let repeated = self.repeated_commits.inner();
        repeated.store(observed.repeated_commits, Ordering::Relaxed);
        let memory = observed.memory;
        self.answer_bytes.set(gauge(memory.answers));
        self.body_bytes.set(gauge(memory.bodies));
        self.memory_limit.set(gauge(memory.limit));
        self.memory_refused
            .inner()
            .store(memory.refused, Ordering::Relaxed);
        self.cached_tokens.set(gauge(observed.cached_tokens));
        let mut text = String::new();
        text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_counted_under_its_operation_and_class() {
        let metrics = Metrics::new(&["getArea", "other"]);
        metrics.answered(0, StatusCode::OK, Duration::from_millis(2));
        metrics.answered(0, StatusCode::NOT_FOUND, Duration::from_millis(2));
        metrics.answered(9, StatusCode::OK, Duration::ZERO);
        let text = metrics
            .render(Observed {
                queued_writes: 3,
                repeated_commits: 4,
                memory: MemoryUse {
                    answers: 70,
                    bodies: 71,
                    limit: 72,
                    refused: 73,
                },
                cached_tokens: 0,
            })
            .expect("text");
        for line in [
            r#"obeya_http_requests_total{operation="getArea",status="2xx"} 1"#,
            r#"obeya_http_requests_total{operation="getArea",status="4xx"} 1"#,
            r#"obeya_http_requests_total{operation="other",status="2xx"} 0"#,
            r#"obeya_http_request_duration_seconds_bucket{le="0.001",operation="getArea"} 0"#,
            r#"obeya_http_request_duration_seconds_bucket{le="0.0025",operation="getArea"} 2"#,
            "obeya_store_queued_writes 3",
            "obeya_store_repeated_commits_total 4",
            "obeya_http_held_bytes 70",
            "obeya_http_body_bytes 71",
            "obeya_http_memory_limit_bytes 72",
            "obeya_http_memory_refused_total 73",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
    }
}
