//! Endpoints outside the API: health, readiness, metrics, and the spec.

use std::sync::LazyLock;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use serde_json::Value;

use crate::app::App;
use crate::http::accept::Offers;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::spec::{ADDRESS, SPEC_JSON, SPEC_YAML, TOKEN_URL};
use crate::telemetry::{Observed, prometheus_text, resident_bytes};
use obeya_store::clients;
use obeya_store::engine::StoreError;

/// The format of metrics that every scraper reads, and the one that newer ones prefer.
const PROMETHEUS: &str = "text/plain;version=0.0.4";
const OPEN_METRICS: &str = "application/openmetrics-text;version=1.0.0";
static METRICS_OFFERS: LazyLock<Offers> =
    LazyLock::new(|| Offers::in_order(&[PROMETHEUS, OPEN_METRICS]));

/// `/healthz`: the process is alive.
pub(crate) fn live() -> Response {
    text("ok\n", "text/plain; charset=utf-8", "no-store")
}

/// `/readyz`: the store answers and takes writes, its files are in place, and tokens are accepted; 503
/// `unavailable` otherwise.
pub(crate) async fn ready(app: &App) -> Result<Response, Problem> {
    app.store.check_files().map_err(Problem::unavailable)?;
    // What the writes and the probes of the upkeep found; nothing is written here.
    if let Some(fault) = app.store.write_fault() {
        return Err(Problem::not_writable(fault));
    }
    app.tokens.check_revocations_known()?;
    // Looks up a key that no client has, which needs a connection and the schema.
    let look_up = || app.store.control(|session| clients::find(session, ""));
    let found: Result<_, String> = app
        .readiness
        .shared(async || {
            look_up()
                .await
                .map(drop)
                .map_err(|error: StoreError| error.to_string())
        })
        .await;
    found.map_err(Problem::unavailable)?;
    Ok(text("ready\n", "text/plain; charset=utf-8", "no-store"))
}

/// `/metrics`: the metrics, as OpenMetrics if `Accept` prefers it, else in the text format of Prometheus.
pub(crate) fn metrics(app: &App, headers: &HeaderMap) -> Result<Response, Problem> {
    let observed = Observed {
        engine: app.store.engine_name(),
        queued_writes: app.store.queued_writes(),
        repeated_commits: app.store.repeated_commits(),
        failed_commits: app.store.failed_commits(),
        takes_writes: app.store.write_fault().is_none(),
        memory: app.memory.observed(),
        cached_tokens: app.tokens.cached(),
        auth_age: app.tokens.age(),
        timings: app.store.timings(),
        disk: app.store.disk_usage(),
        resident_bytes: resident_bytes(),
    };
    let metrics = app.metrics.render(observed).map_err(Problem::internal)?;
    let chosen = METRICS_OFFERS.negotiate(headers);
    let (metrics, content_type) = if chosen.is_ok_and(|chosen| chosen == OPEN_METRICS) {
        let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        (metrics, content_type)
    } else {
        // Also if `Accept` has neither: whoever looks is answered.
        let content_type = "text/plain; version=0.0.4; charset=utf-8";
        (prometheus_text(&metrics), content_type)
    };
    Ok(text(metrics, content_type, "no-store"))
}

/// `/openapi.json`, with the addresses of the service and of its issuer as the client sees them.
pub(crate) fn spec_json(app: &App, headers: &HeaderMap) -> Response {
    let spec = with_addresses(SPEC_JSON, app, headers);
    text(spec, "application/json", "public, max-age=300")
}

/// `/openapi.yaml`, with the same addresses.
pub(crate) fn spec_yaml(app: &App, headers: &HeaderMap) -> Response {
    let spec = with_addresses(SPEC_YAML, app, headers);
    text(spec, "application/yaml", "public, max-age=300")
}

fn with_addresses(spec: &str, app: &App, headers: &HeaderMap) -> String {
    let base = app.base_for(headers);
    let token_url = app.token_url_for(headers);
    spec.replacen(ADDRESS, &Value::from(&*base).to_string(), 1)
        .replacen(TOKEN_URL, &Value::from(token_url).to_string(), 1)
}

fn text(body: impl Into<Bytes>, content_type: &'static str, caching: &'static str) -> Response {
    let mut response = Response::new(body.into().into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
    response
}
