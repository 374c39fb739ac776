//! What can go wrong in a call, by who has to act on it.
//!
//! Every fallible function of this crate answers with [`Error`]. An error never holds a secret, a token or a
//! response body that could not be understood: it names the operation and the place instead. Its message has
//! one line and no control characters, whatever the server's texts have; the fields have them as they came.

use std::sync::Arc;
use std::time::Duration;

use obeya_model::Problem;

use crate::printable::OneLine;

/// A `Result` of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The cause of a transport failure, shared because one failure may answer several waiting calls.
pub type Cause = Arc<dyn std::error::Error + Send + Sync>;

/// Why a call failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The client was given settings it can't work with.
    #[error(transparent)]
    Config(#[from] ConfigError),

    /// No answer: the server could not be reached, or the connection broke on the way.
    #[error("{operation}: {}: {source}", if *.connecting { "no connection" } else { "the connection broke" })]
    #[non_exhaustive]
    Connection {
        /// The operation asked for (its `operationId`), or `token` for the token issuer.
        operation: &'static str,
        /// True when the request can't have been sent, so that repeating it is safe for every method.
        connecting: bool,
        /// What the transport reported.
        source: Cause,
    },

    /// The whole call, its retries and waits included, took longer than [`ClientBuilder::timeout`].
    ///
    /// [`ClientBuilder::timeout`]: crate::ClientBuilder::timeout
    #[error("{operation}: no answer within {after:?}")]
    #[non_exhaustive]
    Timeout {
        /// The operation asked for, or `token`.
        operation: &'static str,
        /// The limit that ran out.
        after: Duration,
    },

    /// The token issuer refused (RFC 6749, section 5.2), or its answer was not a token.
    #[error("no access token: {}{}", OneLine(.code), .description.as_deref().map(|d| format!(": {}", OneLine(d))).unwrap_or_default())]
    #[non_exhaustive]
    Auth {
        /// HTTP status of the token issuer's answer.
        status: u16,
        /// The RFC 6749 `error` code, for example `invalid_client`; `invalid_response` when the answer had
        /// none.
        code: String,
        /// The `error_description` for humans, if any.
        description: Option<String>,
        /// How long the issuer asked to wait (`Retry-After`), if it did.
        retry_after: Option<Duration>,
    },

    /// The service answered, and the answer is not a success.
    #[error("{operation}: {}{}", describe(*.status, .problem), if .earlier.is_some() { EARLIER } else { "" })]
    #[non_exhaustive]
    Api {
        /// HTTP status.
        status: u16,
        /// The RFC 9457 problem; made up from the status when the body was not one (a proxy's page, say).
        problem: Box<Problem>,
        /// `X-Request-Id` of the answer, or the problem's trace id: what to quote to the service's owner.
        request_id: Option<String>,
        /// How long the service asked to wait (`Retry-After`), if it did.
        retry_after: Option<Duration>,
        /// The operation asked for.
        operation: &'static str,
        /// For a write that was sent again: how an earlier try failed that may have been carried out all the
        /// same. Then this answer may be about what that try did: a 409 to a change of status that has just
        /// been made.
        #[source]
        earlier: Option<Cause>,
    },

    /// A success whose body is not what the interface promises.
    #[error("{operation}: the answer does not fit the interface at {}: {}", OneLine(.path), OneLine(.reason))]
    #[non_exhaustive]
    Decode {
        /// The operation asked for.
        operation: &'static str,
        /// Where in the body, for example `values[3].id`; `.` is the body as a whole.
        path: String,
        /// Which kind of value was found and what was expected there; never the value itself.
        reason: String,
    },

    /// The body is larger than [`ClientBuilder::max_body_bytes`]; reading stopped there.
    ///
    /// [`ClientBuilder::max_body_bytes`]: crate::ClientBuilder::max_body_bytes
    #[error("{operation}: the answer is larger than the limit of {limit} bytes")]
    #[non_exhaustive]
    TooLarge {
        /// The operation asked for.
        operation: &'static str,
        /// The limit, in bytes.
        limit: u64,
    },

    /// A list's `@odata.nextLink` was not followed: it would send the token to another origin, or lead in a
    /// circle.
    #[error("{operation}: the next link was not followed: {}", OneLine(.reason))]
    #[non_exhaustive]
    NextLink {
        /// The operation asked for.
        operation: &'static str,
        /// Why it was refused.
        reason: String,
    },

    /// A list changed each time that it was read again, so that it cannot be said which of its records are
    /// left. Read it in its own order, in which every change is followed, or again later.
    #[error(
        "{operation}: the list changed each time that it was read again; leave out the order, or try later"
    )]
    #[non_exhaustive]
    Changed {
        /// The operation asked for.
        operation: &'static str,
    },

    /// The request could not be built, for example because a value doesn't fit into a URL.
    #[error("{operation}: the request could not be built: {reason}")]
    #[non_exhaustive]
    Request {
        /// The operation asked for.
        operation: &'static str,
        /// What was wrong.
        reason: String,
    },
}

impl Error {
    /// HTTP status of the answer, when there was one.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Api { status, .. } | Self::Auth { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// The stable code: the problem's `code`, or the RFC 6749 error of the token issuer.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Api { problem, .. } => problem_code(problem),
            Self::Auth { code, .. } => Some(code),
            _ => None,
        }
    }

    /// The problem body of an answer that is not a success.
    #[must_use]
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Api { problem, .. } => Some(problem),
            _ => None,
        }
    }

    /// The id to quote to the service's owner, when the answer had one.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Api { request_id, .. } => request_id.as_deref(),
            _ => None,
        }
    }

    /// How long the service asked to wait before trying again (429 and 503).
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Api { retry_after, .. } | Self::Auth { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// The operation that failed (its `operationId`), or `token`; `None` for a configuration error.
    #[must_use]
    pub fn operation(&self) -> Option<&'static str> {
        match self {
            Self::Config(_) => None,
            Self::Auth { .. } => Some("token"),
            Self::Connection { operation, .. }
            | Self::Timeout { operation, .. }
            | Self::Api { operation, .. }
            | Self::Decode { operation, .. }
            | Self::TooLarge { operation, .. }
            | Self::NextLink { operation, .. }
            | Self::Changed { operation }
            | Self::Request { operation, .. } => Some(operation),
        }
    }

    /// The same answer, after a try that failed with `open` and may have been carried out.
    pub(crate) fn after(mut self, open: Option<Self>) -> Self {
        if let Self::Api { earlier, .. } = &mut self {
            *earlier = open.map(|error| Arc::new(error) as Cause);
        }
        self
    }

    /// True for a 404: nothing has this id, or the caller may not see it.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Api { status: 404, .. })
    }

    /// True for a 412: the record is no longer in the state that [`if_match`](crate::Client::if_match) names.
    /// Nothing was changed.
    #[must_use]
    pub fn is_precondition_failed(&self) -> bool {
        matches!(self, Self::Api { status: 412, .. })
    }

    /// True when the same call may succeed later without any change: no answer, 429, 502, 503 and 504, and a
    /// list that changed too often.
    ///
    /// The client has then already used up its own retries. Whether repeating a *create* is safe remains for
    /// the caller to judge: after a broken connection the first one may have been carried out. With an
    /// [`idempotency_key`](crate::Client::idempotency_key) of the caller's it is.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Connection { .. } | Self::Timeout { .. } | Self::Changed { .. } => true,
            Self::Api { status, .. } | Self::Auth { status, .. } => {
                matches!(status, 429 | 502 | 503 | 504)
            }
            _ => false,
        }
    }
}

/// What a message adds to an answer that comes after a try of unknown outcome.
const EARLIER: &str = "; an earlier try broke off and may have been carried out";

/// Settings that can't work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// Environment variables that [`Client::from_env`](crate::Client::from_env) needs are missing or empty.
    #[error("not set in the environment: {}", .0.join(", "))]
    MissingVariables(Vec<String>),
    /// A setting without which no client can be made.
    #[error("{0} is not set")]
    Missing(&'static str),
    /// A setting whose value makes no sense.
    #[error("{setting}: {reason}")]
    #[non_exhaustive]
    Invalid {
        /// The setting's name, as the builder method or environment variable is called.
        setting: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The HTTP client could not be set up, for example because the system has no root certificates.
    #[error("the HTTP client could not be set up: {0}")]
    Transport(String),
}

/// A transport failure of reqwest as ours. The URL is left out of the text: it may hold a filter, and the
/// operation says enough.
pub(crate) fn connection(operation: &'static str, error: reqwest::Error) -> Error {
    Error::Connection {
        operation,
        connecting: error.is_connect(),
        source: Arc::new(Chain(chain(&error.without_url()))),
    }
}

/// A failure and its causes as one text.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Chain(String);

/// The messages of a failure and its causes in one line: reqwest's own text is only its outermost layer
/// ("error sending request"), and a log line shows no causes.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let layer = error.to_string();
        // Layers that only repeat what is inside them add nothing.
        if !text.contains(&layer) {
            text.push_str(": ");
            text.push_str(&layer);
        }
        cause = error.source();
    }
    text
}

fn describe(status: u16, problem: &Problem) -> String {
    let mut text = format!("{status} {}", OneLine(&problem.title));
    if let Some(detail) = problem
        .detail
        .as_deref()
        .filter(|detail| !detail.is_empty())
    {
        text.push_str(&format!(": {}", OneLine(detail)));
    }
    if let Some(code) = problem_code(problem) {
        text.push_str(&format!(" ({})", OneLine(code)));
    }
    text
}

fn problem_code(problem: &Problem) -> Option<&str> {
    Some(problem.code.as_str()).filter(|code| !code.is_empty())
}
