//! The way of every request to its response: ids, limits, the deadline, the access log, the metrics. `router`
//! decides what is answered.
//!
//! HEAD is answered as GET; hyper keeps the length and drops the body unread.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Request, StatusCode};
use hyper::body::Incoming;

use crate::app::App;
use crate::config::Limits;
use crate::http::body::Response;
use crate::http::extract::{PREFERENCE_APPLIED, is_strict};
use crate::http::odata::{ANSWERED_VERSION, ODATA_VERSION, is_odata};
use crate::http::path::Captures;
use crate::http::problem::{Problem, ProblemContext};
use crate::http::request_id::{self, RequestId, X_REQUEST_ID};
use crate::http::{encoding, extract};
use crate::router::{self, Route, Routes};
use crate::telemetry::{LOGGED_METHOD_BYTES, LOGGED_PATH_BYTES, panic_text, shortened};

/// The service that answers requests: its state and its route table.
pub(crate) struct Pipeline {
    pub(crate) app: Arc<App>,
    routes: Routes,
}

impl Pipeline {
    /// A pipeline with all routes.
    pub(crate) fn new(app: App) -> Self {
        Self {
            app: Arc::new(app),
            routes: Routes::new(),
        }
    }
}

/// Answers any request.
pub(crate) async fn serve(pipeline: &Pipeline, request: Request<Incoming>) -> Response {
    let Pipeline { app, routes } = pipeline;
    let started = Instant::now();
    app.metrics.in_flight.inc();
    let _done = InFlight(app);
    let (mut head, body) = request.into_parts();
    let request_id = request_id::of(&head.headers);
    if !head.method.is_safe() {
        head.extensions.insert(RequestId(request_id.clone()));
    }
    let trace = request_id::trace_of(&head.headers).map(str::to_owned);
    // Cheap copies of values that are needed after the head was moved.
    let (method, uri) = (head.method.clone(), head.uri.clone());
    let gzip = encoding::takes_gzip(&head.headers);
    let has_preference = head.headers.contains_key(extract::PREFER) && is_strict(&head.headers);

    let mut caller = None;
    let (route, outcome) = match find(pipeline, &head) {
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
    let mut response = outcome.unwrap_or_else(|problem| {
        problem.respond(ProblemContext {
            instance: uri.path(),
            trace_id: trace.as_deref().unwrap_or(id_text),
            odata,
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
    let took = started.elapsed();
    app.metrics
        .answered(Route::label(route), response.status(), took);
    tracing::info!(
        target: "obeya::access",
        request_id = id_text,
        trace_id = trace.as_deref(),
        client = caller.as_ref().map(|caller| caller.client_id.as_str()),
        method = shortened(method.as_str(), LOGGED_METHOD_BYTES).as_ref(),
        path = %shortened(uri.path(), LOGGED_PATH_BYTES),
        status = response.status().as_u16(),
        micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        "answered"
    );
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

fn find(pipeline: &Pipeline, head: &Parts) -> Result<(Route, Captures), Problem> {
    within_limits(&pipeline.app.config.limits, head)?;
    pipeline.routes.find(&head.method, head.uri.path())
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
