//! The way of every request to its response: ids, limits, the deadline, the access log, the metrics. `router`
//! decides what is answered.
//!
//! HEAD is answered as GET; hyper keeps the length and drops the body unread.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use http::header::{CONNECTION, HOST};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Request, StatusCode, Version};

use crate::app::App;
use crate::config::Limits;
use crate::http::body::Response;
use crate::http::client_address::client_address;
use crate::http::connections::Connection;
use crate::http::extract::{PREFERENCE_APPLIED, is_strict};
use crate::http::odata::{ANSWERED_VERSION, ODATA_VERSION, is_odata};
use crate::http::path::Captures;
use crate::http::problem::{Problem, ProblemContext};
use crate::http::request_body::RequestBody;
use crate::http::request_id::{self, RequestId, X_REQUEST_ID};
use crate::http::{cors, encoding, extract, security_headers};
use crate::router::{self, Route, Routes};
use crate::telemetry::{LOGGED_METHOD_BYTES, LOGGED_PATH_BYTES, panic_text, shortened};

/// The service that answers requests: its state and its route table.
pub(crate) struct Pipeline {
    pub(crate) app: Arc<App>,
    routes: Routes,
    /// Whether its connections have TLS.
    is_encrypted: bool,
}

impl Pipeline {
    /// A pipeline with all routes.
    pub(crate) fn new(app: &Arc<App>) -> Arc<Self> {
        Self::with(
            app,
            Routes::new(app.config.has_explorer),
            app.config.tls.is_some(),
        )
    }

    /// A pipeline that serves only health, readiness and metrics.
    pub(crate) fn admin(app: &Arc<App>) -> Arc<Self> {
        Self::with(app, Routes::admin(), false)
    }

    fn with(app: &Arc<App>, routes: Routes, is_encrypted: bool) -> Arc<Self> {
        Arc::new(Self {
            app: Arc::clone(app),
            routes,
            is_encrypted,
        })
    }
}

/// Answers any request.
pub(crate) async fn serve(pipeline: &Pipeline, request: Request<RequestBody>) -> Response {
    let Pipeline {
        app,
        routes,
        is_encrypted,
    } = pipeline;
    let started = Instant::now();
    app.metrics.in_flight.inc();
    let _done = InFlight(app);
    let (head, body) = request.into_parts();
    // Boxed: each of the futures below has its own place for the head.
    let mut head = Box::new(head);
    let connection = head.extensions.get::<Arc<Connection>>();
    let peer = connection.map(|connection| connection.peer().ip());
    let client_address = peer.map(|peer| client_address(peer, &head.headers, &app.config));
    if let Some(found) = client_address {
        head.extensions.insert(found);
    }
    let address = client_address.map(|found| found.address);
    let request_id = request_id::of(&head.headers);
    if !head.method.is_safe() {
        head.extensions.insert(RequestId(request_id.clone()));
    }
    let trace = request_id::trace_of(&head.headers).map(str::to_owned);
    // Cheap copies of values that are needed after the head was moved.
    let (method, uri) = (head.method.clone(), head.uri.clone());
    let gzip = encoding::takes_gzip(&head.headers);
    let has_preference = head.headers.contains_key(extract::PREFER) && is_strict(&head.headers);

    let origins = &app.config.cors_origins;
    let origin = cors::allowed_origin(origins, &head.headers);
    let is_preflight = origin.is_some() && cors::is_preflight(&head);

    let mut caller = None;
    let (route, outcome) = match find(pipeline, &head, address) {
        Err(problem) if is_preflight && problem.status() == StatusCode::METHOD_NOT_ALLOWED => {
            (None, Ok(cors::preflight()))
        }
        Ok((route, captures)) => {
            // Pinned once: a handler's future is large, and each layer around it would move it.
            let answer = pin!(router::answer(
                Arc::clone(app),
                routes,
                route,
                captures,
                head,
                body,
                &mut caller
            ));
            (Some(route), within(app.config.limits.request, answer).await)
        }
        Err(problem) => (None, Err(problem)),
    };

    let id_text = request_id.to_str().unwrap_or("");
    let odata = is_odata(uri.path());
    let status = match &outcome {
        Ok(response) => response.status(),
        Err(problem) => problem.status(),
    };
    let is_refused = status.is_client_error() || status.is_server_error();
    let log = match status.is_server_error() {
        true => &app.failures,
        false => &app.refusals,
    };
    let is_logged = !is_refused || log.permit(status);
    let mut response = outcome.unwrap_or_else(|problem| {
        problem.respond(ProblemContext {
            instance: uri.path(),
            trace_id: trace.as_deref().unwrap_or(id_text),
            odata,
            is_logged,
        })
    });
    if odata {
        response
            .headers_mut()
            .insert(ODATA_VERSION, ANSWERED_VERSION);
    }
    if has_preference && matches!(route, Some(Route::Operation(operation)) if operation.has_body())
    {
        response.headers_mut().insert(
            PREFERENCE_APPLIED,
            HeaderValue::from_static("handling=strict"),
        );
    }
    if gzip {
        response = encoding::gzip(response).await;
    }
    let client = caller.as_ref().map(|caller| &*caller.client_id);
    let limited = caller
        .as_ref()
        .map(|caller| (&*caller.client_id, caller.client.rate));
    app.rates.show(address, limited, response.headers_mut());
    security_headers::add(response.headers_mut(), *is_encrypted);
    if !origins.is_empty() {
        cors::add(response.headers_mut(), origin);
    }
    let took = started.elapsed();
    app.metrics
        .answered(Route::label(route), response.status(), took);
    if is_logged {
        tracing::info!(
            target: "obeya::access",
            request_id = id_text,
            trace_id = trace.as_deref(),
            address = address.map(tracing::field::display),
            client,
            method = shortened(method.as_str(), LOGGED_METHOD_BYTES).as_ref(),
            path = %shortened(uri.path(), LOGGED_PATH_BYTES),
            status = response.status().as_u16(),
            micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            "answered"
        );
    }
    response.headers_mut().insert(X_REQUEST_ID, request_id);
    response
}

/// Decrements the number of requests in flight, also when the client disconnects before the answer is
/// complete.
struct InFlight<'a>(&'a App);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.metrics.in_flight.dec();
    }
}

fn find(
    pipeline: &Pipeline,
    head: &Parts,
    address: Option<IpAddr>,
) -> Result<(Route, Captures), Problem> {
    let Pipeline { app, routes, .. } = pipeline;
    let found = routes.find(&head.method, head.uri.path());
    let is_monitoring =
        matches!(found, Ok((Route::Endpoint(endpoint), _)) if endpoint.is_monitoring());
    if let Some(address) = address
        && !is_monitoring
    {
        app.rates.check_address(address)?;
    }
    check_host(head)?;
    within_limits(&app.config.limits, head)?;
    found
}

/// 400 for a head without the one `Host` that RFC 9112, 3.2, demands: a proxy before the service may have
/// taken another one than the service would.
fn check_host(head: &Parts) -> Result<(), Problem> {
    let mut hosts = head.headers.get_all(HOST).iter();
    let detail = match (hosts.next(), hosts.next()) {
        (None, _) if head.version < Version::HTTP_11 => return Ok(()),
        (None, _) => "The request has no Host header.",
        (Some(_), Some(_)) => "The request has more than one Host header.",
        (Some(host), None) if !is_host(host) => "The Host header names no host.",
        (Some(_), None) => return Ok(()),
    };
    Err(Problem::new(
        StatusCode::BAD_REQUEST,
        "header.invalid",
        "Invalid header",
        detail,
    )
    .header(CONNECTION, HeaderValue::from_static("close")))
}

/// `uri-host [ ":" port ]`; a host may be empty.
fn is_host(value: &HeaderValue) -> bool {
    let bytes = value.as_bytes();
    bytes.is_empty() || (!bytes.contains(&b'@') && Authority::try_from(bytes).is_ok())
}

/// 414 and 431. hyper has larger limits, which answer without a body.
fn within_limits(limits: &Limits, head: &Parts) -> Result<(), Problem> {
    let uri_bytes = head
        .uri
        .path_and_query()
        .map_or(0, |text| text.as_str().len());
    if uri_bytes > limits.uri_bytes {
        let detail = format!(
            "Path and query have {uri_bytes} bytes; the limit is {}.",
            limits.uri_bytes
        );
        return Err(Problem::new(
            StatusCode::URI_TOO_LONG,
            "request.uri_too_long",
            "URI too long",
            detail,
        ));
    }
    let header_bytes = bytes_of(&head.headers);
    if header_bytes > limits.header_bytes {
        let detail = format!(
            "The headers have {header_bytes} bytes; the limit is {}.",
            limits.header_bytes
        );
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return Err(Problem::new(
            status,
            "request.headers_too_large",
            "Headers too large",
            detail,
        ));
    }
    Ok(())
}

fn bytes_of(headers: &HeaderMap) -> usize {
    headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum()
}

/// The answer, unless it takes too long or panics. Work that a handler has already passed to the store's
/// writer is not undone, hence 504.
async fn within(
    time: Duration,
    answer: impl Future<Output = Result<Response, Problem>>,
) -> Result<Response, Problem> {
    // A panic must not affect the other requests of the connection. No state of the failed handler is used
    // afterwards.
    match tokio::time::timeout(time, AssertUnwindSafe(answer).catch_unwind()).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(panic)) => Err(Problem::internal(format!(
            "a handler panicked: {}",
            panic_text(panic.as_ref())
        ))),
        Err(_) => Err(Problem::timeout()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(outcome: Result<Response, Problem>) -> String {
        match outcome {
            Ok(response) => response.status().to_string(),
            Err(problem) => problem.summary(),
        }
    }

    #[tokio::test]
    async fn what_never_ends_or_panics_is_answered_all_the_same() {
        let never = within(Duration::ZERO, std::future::pending());
        assert_eq!(summary(never.await), "504 timeout");
        let panics = within(Duration::from_secs(5), async { panic!("out of cheese") });
        assert_eq!(summary(panics.await), "500 internal");
    }
}
