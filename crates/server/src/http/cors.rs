//! Cross-origin requests of pages in browsers (the CORS protocol of the Fetch standard), for the configured
//! origins only. Tokens are sent in a header, so no response allows credentials.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN,
    VARY,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use super::body::{Body, Response};

/// Any origin.
const ANY: &str = "*";
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE");
/// The request headers that the service reads and that need permission.
const REQUEST_HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, idempotency-key, if-match, if-none-match, odata-maxversion, odata-version, prefer, traceparent, x-request-id",
);
/// The response headers that a page may read besides the usual ones.
const RESPONSE_HEADERS: HeaderValue = HeaderValue::from_static(
    "accept-patch, allow, etag, idempotency-replayed, location, obeya-count, obeya-page-no, obeya-page-size, obeya-state, odata-version, preference-applied, ratelimit, ratelimit-policy, retry-after, www-authenticate, x-request-id",
);
/// How long a browser may remember the answer to a preflight, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// The origin of a request, if it is one of those that are allowed.
pub(crate) fn allowed_origin(allowed: &[String], headers: &HeaderMap) -> Option<HeaderValue> {
    if allowed.is_empty() {
        return None;
    }
    let origin = headers.get(ORIGIN)?;
    let mut allowed = allowed.iter();
    allowed
        .any(|allowed| allowed == ANY || allowed.as_bytes() == origin.as_bytes())
        .then(|| origin.clone())
}

/// Whether a browser asks for permission before the actual request.
pub(crate) fn is_preflight(head: &Parts) -> bool {
    head.method == Method::OPTIONS && head.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The permission; [`add`] names the origin.
pub(crate) fn preflight() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS);
    headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    response
}

/// Allows pages of this origin to read a response. Without `origin` they may not, but a cache still has to
/// keep responses to different origins apart.
pub(crate) fn add(headers: &mut HeaderMap, origin: Option<HeaderValue>) {
    headers.append(VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, RESPONSE_HEADERS);
    }
}
