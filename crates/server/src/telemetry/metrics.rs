//! The metrics at `/metrics`, in the Prometheus text format.
//!
//! Every series that a request changes is created at start and found by index, so counting a request needs no
//! look-up. What other parts count or measure is read when the metrics are requested ([`Observed`]).

use std::fmt;
use std::time::Duration;

use http::StatusCode;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use super::Observed;

/// What the names of all metrics begin with, but those that every process has.
const PREFIX: &str = "obeya";

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

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ServerErrorLabel {
    status: u16,
}

/// The statuses of failures that the service or its load caused, each with a series of its own.
const SERVER_ERRORS: [StatusCode; 3] = [
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::SERVICE_UNAVAILABLE,
    StatusCode::GATEWAY_TIMEOUT,
];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ListenerLabel {
    listener: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabel {
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AlgorithmLabel {
    algorithm: &'static str,
}

/// The classes of status. There is one series for each class, so that clients cannot create new ones.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// All metrics of a service.
pub(crate) struct Metrics {
    registry: Registry,
    series: Vec<Series>,
    server_errors: [Counter; SERVER_ERRORS.len()],
    /// Issued tokens.
    pub(crate) tokens_issued: Counter,
    /// Refused token requests.
    pub(crate) tokens_refused: Counter,
    /// Checked secrets, including those of unknown clients.
    pub(crate) secret_checks: Counter,
    /// HMACs computed for that.
    pub(crate) hmac_secrets: Counter,
    /// argon2id hashes computed for that.
    pub(crate) argon2id_secrets: Counter,
    /// How often the time of day jumped.
    pub(crate) clock_jumps: Counter,
    /// The last jump, in seconds.
    pub(crate) clock_jump_seconds: Gauge,
    /// Requests being answered.
    pub(crate) in_flight: Gauge,
    /// Connections closed to make space for another.
    pub(crate) evictions: Evictions,
    connections: Family<ListenerLabel, Gauge>,
    connections_limit: Family<ListenerLabel, Gauge>,
}

struct Series {
    statuses: [Counter; CLASSES.len()],
    seconds: Histogram,
}

impl Metrics {
    /// Creates one set of series for each of these names, addressed by index.
    pub(crate) fn new(operations: &[&'static str]) -> Self {
        let mut registry = Registry::with_prefix(PREFIX);
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
        let errors = Family::<ServerErrorLabel, Counter>::default();
        registry.register(
            "http_server_errors",
            "Requests answered with this status of the class 5xx",
            errors.clone(),
        );
        let server_errors = SERVER_ERRORS.map(|status| {
            let status = status.as_u16();
            errors.get_or_create_owned(&ServerErrorLabel { status })
        });
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
        let secret_hashes = Family::<AlgorithmLabel, Counter>::default();
        let hashes = |algorithm| secret_hashes.get_or_create_owned(&AlgorithmLabel { algorithm });
        let (hmac_secrets, argon2id_secrets) = (hashes("hmac-sha256"), hashes("argon2id"));
        let clock_jumps = counter(
            "clock_jumps",
            "How often the time of day jumped by more than 30 seconds, or the machine slept",
        );
        registry.register(
            "secret_hashes",
            "Hashes computed to check client secrets, by algorithm",
            secret_hashes,
        );
        let mut gauge = |name: &str, help: &str| {
            let gauge: Gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let clock_jump_seconds = gauge(
            "clock_last_jump_seconds",
            "The last jump of the time of day; negative if it went back",
        );
        let in_flight = gauge("http_requests_in_flight", "Requests being answered");
        let connections = Family::default();
        let connections_limit = Family::default();
        registry.register(
            "http_connections",
            "Open connections of clients, by listener",
            Family::clone(&connections),
        );
        registry.register(
            "http_connections_limit",
            "Most open connections of clients, by listener",
            Family::clone(&connections_limit),
        );
        let evicted = Family::<StateLabel, Counter>::default();
        let evicted_as = |state| evicted.get_or_create_owned(&StateLabel { state });
        let evictions = Evictions {
            idle: evicted_as("idle"),
            unknown: evicted_as("unknown"),
        };
        registry.register(
            "http_connections_evicted",
            "Connections closed to make space for another, by state",
            evicted,
        );
        Self {
            registry,
            series,
            server_errors,
            tokens_issued,
            tokens_refused,
            secret_checks,
            hmac_secrets,
            argon2id_secrets,
            clock_jumps,
            clock_jump_seconds,
            in_flight,
            evictions,
            connections,
            connections_limit,
        }
    }

    /// The counter of the open connections of a listener that accepts at most `limit`.
    pub(crate) fn listener(&self, listener: &'static str, limit: usize) -> OpenConnections {
        let label = ListenerLabel { listener };
        let most = i64::try_from(limit).unwrap_or(i64::MAX);
        self.connections_limit.get_or_create_owned(&label).set(most);
        OpenConnections(self.connections.get_or_create_owned(&label))
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
        if let Some(error) = SERVER_ERRORS.iter().position(|&error| error == status) {
            self.server_errors[error].inc();
        }
    }

    /// The metrics as text.
    pub(crate) fn render(&self, observed: Observed) -> Result<String, fmt::Error> {
        let mut text = String::new();
        text::encode_registry(&mut text, &self.registry)?;
        text::encode_registry(&mut text, &observed.registry(PREFIX))?;
        text::encode_eof(&mut text)?;
        Ok(text)
    }
}

/// Connections closed to make space for another.
#[derive(Debug, Clone, Default)]
pub(crate) struct Evictions {
    /// They waited for another request.
    pub(crate) idle: Counter,
    /// They had had no request yet, or had one of an unknown client.
    pub(crate) unknown: Counter,
}

/// The open connections of a listener.
pub(crate) struct OpenConnections(Gauge);

impl OpenConnections {
    /// Counts a connection until this is dropped.
    pub(crate) fn count(&self) -> OpenConnection {
        self.0.inc();
        OpenConnection(self.0.clone())
    }
}

/// One of them.
pub(crate) struct OpenConnection(Gauge);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.dec();
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
        metrics.answered(1, StatusCode::SERVICE_UNAVAILABLE, Duration::ZERO);
        metrics.answered(1, StatusCode::GATEWAY_TIMEOUT, Duration::ZERO);
        metrics.answered(1, StatusCode::GATEWAY_TIMEOUT, Duration::ZERO);
        metrics.answered(1, StatusCode::BAD_GATEWAY, Duration::ZERO);
        let text = metrics.render(Observed::example()).expect("text");
        for line in [
            r#"obeya_http_requests_total{operation="getArea",status="2xx"} 1"#,
            r#"obeya_http_requests_total{operation="getArea",status="4xx"} 1"#,
            r#"obeya_http_requests_total{operation="other",status="2xx"} 0"#,
            r#"obeya_http_requests_total{operation="other",status="5xx"} 4"#,
            r#"obeya_http_server_errors_total{status="500"} 0"#,
            r#"obeya_http_server_errors_total{status="503"} 1"#,
            r#"obeya_http_server_errors_total{status="504"} 2"#,
            r#"obeya_http_request_duration_seconds_bucket{le="0.001",operation="getArea"} 0"#,
            r#"obeya_http_request_duration_seconds_bucket{le="0.0025",operation="getArea"} 2"#,
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
        assert!(text.ends_with("\n# EOF\n"), "{text}");
    }
}
