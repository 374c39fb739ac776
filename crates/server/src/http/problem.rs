//! The only HTTP error of the service: RFC 9457 problem details, with a stable code.
//!
//! Every layer below has its own errors, which become a [`Problem`] here or in a handler; no other code
//! writes an error body. The cause is only for the log and never serialised: nothing internal may leave
//! through this module.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::{self, Display};

use http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use serde::Serialize;

use super::body::{Body, Response};
use crate::telemetry::{LOGGED_PATH_BYTES, shortened};
use obeya_store::engine::{StoreError, WriteFault};

/// An error of the client or of the service.
///
/// Boxed, so that a `Result` with it stays small.
#[derive(Debug)]
pub(crate) struct Problem(Box<Inner>);

#[derive(Debug)]
struct Inner {
    status: StatusCode,
    code: Cow<'static, str>,
    title: &'static str,
    detail: String,
    errors: BTreeMap<String, Vec<String>>,
    target: Option<String>,
    headers: Vec<(HeaderName, HeaderValue)>,
    cause: Option<Box<dyn Error + Send + Sync>>,
}

/// The request of a problem: the members that every body has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProblemContext<'a> {
    /// The path of the request, without its query.
    pub(crate) instance: &'a str,
    /// The id of the request in the log.
    pub(crate) trace_id: &'a str,
    /// Whether the body also carries the OData `error` member (every path under `/v2`).
    pub(crate) odata: bool,
    /// Whether a server error is logged.
    pub(crate) is_logged: bool,
}

impl Problem {
    /// A problem with a status, a stable dotted code, a title for its kind and a detail for this occurrence.
    pub(crate) fn new(
        status: StatusCode,
        code: impl Into<Cow<'static, str>>,
        title: &'static str,
        detail: impl Into<String>,
    ) -> Self {
        Self(Box::new(Inner {
            status,
            code: code.into(),
            title,
            detail: detail.into(),
            errors: BTreeMap::new(),
            target: None,
            headers: Vec::new(),
            cause: None,
        }))
    }

    /// 404 `not_found`: the record does not exist. `what` is a singular noun.
    pub(crate) fn not_found(what: &str, id: impl Display) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "Not found",
            format!("There is no {what} {id}."),
        )
    }

    /// 404 for a path under which nothing is served.
    pub(crate) fn unserved_path() -> Self {
        let detail = "Nothing is served under this path.";
        Self::new(StatusCode::NOT_FOUND, "not_found", "Not found", detail)
    }

    /// 405 `method.not_allowed`. `allow` lists the methods of the path.
    pub(crate) fn method_not_allowed(method: &Method, allow: &str) -> Self {
        let detail = format!("This path does not take {method}; it takes {allow}.");
        let problem = Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method.not_allowed",
            "Method not allowed",
            detail,
        );
        match HeaderValue::from_str(allow) {
            Ok(value) => problem.header(ALLOW, value),
            Err(_) => problem,
        }
    }

    /// 400 `path.invalid`: a path parameter has the wrong type.
    pub(crate) fn invalid_path(parameter: &str, text: impl Into<String>) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "path.invalid",
            "Invalid path parameter",
            "",
        )
        .field(parameter, text)
    }

    /// 400 `query.invalid`: a query parameter has the wrong type or is out of range.
    pub(crate) fn invalid_query(parameter: &str, text: impl Into<String>) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "query.invalid",
            "Invalid query parameter",
            "",
        )
        .field(parameter, text)
    }

    /// 400 `body.malformed`: the body is not JSON.
    pub(crate) fn malformed_body(text: impl Into<String>) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "body.malformed",
            "Malformed body",
            text,
        )
    }

    /// 400 `body.invalid`: the body is JSON, but a field violates the schema. Add further fields with
    /// [`Problem::field`].
    pub(crate) fn invalid_body(field: &str, text: impl Into<String>) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "body.invalid",
            "The body does not have the described shape",
            "",
        )
        .field(field, text)
    }

    /// 409: the state of the record forbids the change.
    pub(crate) fn conflict(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(
            StatusCode::CONFLICT,
            code,
            "Conflict with the current state",
            detail,
        )
    }

    /// 500 `internal`: constant text for the client, the cause for the log.
    pub(crate) fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "Internal error",
            "Internal error. Quote the trace id to the operator.",
        )
        .cause(cause)
    }

    /// 503 `unavailable`: nothing was changed, and a retry after a second may succeed.
    pub(crate) fn unavailable(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::not_done(
            "The service cannot take this request now. Try again shortly.",
            cause,
        )
    }

    /// The same for `/readyz`, with the class of what keeps the database from being written.
    pub(crate) fn not_writable(fault: WriteFault) -> Self {
        Self::not_done(
            &format!("The database takes no writes: {fault}. Reads still work."),
            format!("writes do not work: {fault}"),
        )
    }

    fn not_done(detail: &str, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "unavailable",
            "Unavailable",
            detail,
        )
        .header(RETRY_AFTER, HeaderValue::from_static("1"))
        .cause(cause)
    }

    /// 504 `timeout`: the answer was not ready in time. A write may already be with the store's writer and
    /// still be carried out, so it must not look like a 503, which means that nothing happened: a client that
    /// repeats a POST after it would create the record twice.
    pub(crate) fn timeout() -> Self {
        Self::new(
            StatusCode::GATEWAY_TIMEOUT,
            "timeout",
            "Time limit exceeded",
            "The answer was not ready in time. A requested change may still be applied. Check the record before you retry.",
        )
    }

    /// Adds an error of a field or parameter. The first one also becomes the target, and the detail if there
    /// is none yet.
    pub(crate) fn field(mut self, field: &str, text: impl Into<String>) -> Self {
        let text = text.into();
        if self.0.detail.is_empty() {
            self.0.detail = format!("{field}: {text}");
        }
        self.0.target.get_or_insert_with(|| field.to_owned());
        self.0
            .errors
            .entry(field.to_owned())
            .or_default()
            .push(text);
        self
    }

    /// Moves every field below an item of a list.
    pub(crate) fn of_item(mut self, index: usize) -> Self {
        let path = |field: &str| match field {
            // An error of the whole item.
            "body" => format!("[{index}]"),
            field => format!("[{index}].{field}"),
        };
        let Inner {
            detail,
            errors,
            target,
            ..
        } = &mut *self.0;
        *errors = std::mem::take(errors)
            .into_iter()
            .map(|(field, texts)| (path(&field), texts))
            .collect();
        if let Some(field) = target {
            let moved = path(field);
            if let Some(text) = detail.strip_prefix(field.as_str()) {
                *detail = format!("{moved}{text}");
            }
            *field = moved;
        }
        self
    }

    /// Adds the errors of another item of the list.
    pub(crate) fn with_item(mut self, index: usize, other: Self) -> Self {
        self.0.errors.extend(other.of_item(index).0.errors);
        self
    }

    /// Adds a response header.
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.push((name, value));
        self
    }

    /// The status of the response.
    pub(crate) fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Status, detail and headers, for an endpoint whose standard prescribes another body.
    pub(crate) fn into_parts(self) -> (StatusCode, String, Vec<(HeaderName, HeaderValue)>) {
        (self.0.status, self.0.detail, self.0.headers)
    }

    /// Sets the cause for the log.
    pub(crate) fn cause(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// Status, code and invalid fields, for tests.
    #[cfg(test)]
    pub(crate) fn summary(&self) -> String {
        let fields = self.0.errors.keys().map(String::as_str);
        [self.0.status.as_str(), &self.0.code]
            .into_iter()
            .chain(fields)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The first message about a field, for tests.
    #[cfg(test)]
    pub(crate) fn first_text(&self) -> String {
        let mut texts = self.0.errors.values().flatten();
        texts.next().map(ToString::to_string).unwrap_or_default()
    }

    /// Logs server errors and creates the response.
    pub(crate) fn respond(self, context: ProblemContext<'_>) -> Response {
        let inner = *self.0;
        if inner.status.is_server_error() && context.is_logged {
            let cause = inner
                .cause
                .as_ref()
                .map(|cause| Chain(cause.as_ref()).to_string())
                .unwrap_or_default();
            tracing::error!(trace_id = context.trace_id, code = %inner.code, path = %shortened(context.instance, LOGGED_PATH_BYTES), cause, "request failed");
        }
        let body = ProblemBody {
            r#type: Urn(&inner.code),
            title: inner.title,
            status: inner.status.as_u16(),
            detail: &inner.detail,
            instance: context.instance,
            trace_id: context.trace_id,
            code: &inner.code,
            errors: &inner.errors,
            error: context.odata.then_some(ODataError {
                code: &inner.code,
                message: &inner.detail,
                target: inner.target.as_deref(),
            }),
        };
        // Strings, integers and string-keyed maps always serialise. If that ever changed, an empty body would
        // still have the status.
        let bytes = serde_json::to_vec(&body).unwrap_or_default();
        let mut response = Response::new(Body::from(bytes));
        *response.status_mut() = inner.status;
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        headers.extend(inner.headers);
        response
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProblemBody<'a> {
    r#type: Urn<'a>,
    title: &'a str,
    status: u16,
    detail: &'a str,
    instance: &'a str,
    trace_id: &'a str,
    code: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    errors: &'a BTreeMap<String, Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ODataError<'a>>,
}

#[derive(Serialize)]
struct ODataError<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
}

/// The problem type. A URN, because a plant's own installation serves no page at a URL.
struct Urn<'a>(&'a str);

impl Serialize for Urn<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("urn:obeya:problem:{}", self.0))
    }
}

/// An error with its sources, for one log line.
struct Chain<'a>(&'a (dyn Error + 'static));

impl Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            // The statement was interrupted and its transaction rolled back: unlike with a 504, nothing is
            // left open.
            StoreError::Timeout => Self::not_done(
                "The request took longer than the store allows; nothing was changed. Ask for less, or try again shortly.",
                error,
            ),
            StoreError::Unavailable(_) | StoreError::NotWritable(..) => Self::unavailable(error),
            // Raised by a function in a statement, for values of the request: division by zero, a number out
            // of range.
            StoreError::Data(text) => Self::new(
                StatusCode::BAD_REQUEST,
                "odata.value",
                "Expression cannot be evaluated",
                text,
            ),
            // Only the size of a query can cause this; the limits of its options prevent most cases.
            StoreError::Limit(text) => Self::new(
                StatusCode::BAD_REQUEST,
                "odata.limit",
                "Limit exceeded",
                format!("The query exceeds a limit of the database: {text}."),
            ),
            // It is unknown whether the change was committed, which is the meaning of a 504.
            StoreError::Uncertain(_) => Self::timeout().cause(error),
            other => Self::internal(other),
        }
    }
}

impl From<obeya_odata::Error> for Problem {
    fn from(error: obeya_odata::Error) -> Self {
        let problem = Self::new(
            StatusCode::BAD_REQUEST,
            error.code(),
            "Invalid query option",
            error.to_string(),
        );
        if error.option.is_empty() {
            problem
        } else {
            problem.field(&error.option, error.message)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(problem: Problem) -> (u16, bool) {
        let response = problem.respond(ProblemContext {
            instance: "/v1/x",
            trace_id: "t",
            odata: false,
            is_logged: true,
        });
        let status = response.status().as_u16();
        (status, response.headers().contains_key(RETRY_AFTER))
    }

    /// Only an answer after which nothing was changed may suggest a retry.
    #[test]
    fn a_request_out_of_time_does_not_invite_another_try_and_a_statement_does() {
        assert_eq!(answer(Problem::timeout()), (504, false));
        let rolled_back = Problem::from(StoreError::Timeout);
        assert_eq!(rolled_back.summary(), "503 unavailable");
        assert_eq!(answer(rolled_back), (503, true));
    }
}
