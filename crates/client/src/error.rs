//! The errors of a call, by who has to act on them.
//!
//! Every fallible function of this crate returns [`Error`]. An error never contains a secret, a token or an
//! undecodable response body; it names the operation and the path instead. Its message is one line without
//! control characters; its fields have the server's texts unchanged.

use std::sync::Arc;
use std::time::Duration;

use obeya_model::Problem;

use crate::conflict::{Conflict, Versions};
use crate::printable::OneLine;
use crate::tag::Tag;

/// A `Result` of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The cause of a transport failure; shared, because several waiting calls may get the same failure.
pub type Cause = Arc<dyn std::error::Error + Send + Sync>;

/// Why a call failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Invalid settings.
    #[error(transparent)]
    Config(#[from] ConfigError),

    /// No response: the server could not be reached, or the connection broke.
    #[error("{operation}: {}: {source}{}", connection_failure(*.connecting || .earlier.is_some()), earlier_note(.earlier))]
    #[non_exhaustive]
    Connection {
        /// The operation (its `operationId`), or `token` for the token issuer.
        operation: &'static str,
        /// True if the request cannot have been sent by any attempt, so that repeating it is safe for every
        /// method.
        connecting: bool,
        /// The error of the transport.
        source: Cause,
        /// For a write that was retried and then found no connection: the error of an earlier attempt that
        /// may have been applied. The chain of sources has `source` alone.
        earlier: Option<Cause>,
    },

    /// The call, including retries and waits, took longer than [`ClientBuilder::timeout`].
    ///
    /// [`ClientBuilder::timeout`]: crate::ClientBuilder::timeout
    #[error("{operation}: no response within {after:?}")]
    #[non_exhaustive]
    Timeout {
        /// The operation, or `token`.
        operation: &'static str,
        /// The timeout.
        after: Duration,
    },

    /// The token issuer refused (RFC 6749, section 5.2), or its response was not a token.
    #[error("no access token: {}{}{}", OneLine(.code), .description.as_deref().map(|d| format!(": {}", OneLine(d))).unwrap_or_default(), earlier_note(.earlier))]
    #[non_exhaustive]
    Auth {
        /// HTTP status of the token issuer's response.
        status: u16,
        /// The RFC 6749 `error` code, for example `invalid_client`; `invalid_response` if there was none.
        code: String,
        /// The human-readable `error_description`, if any.
        description: Option<String>,
        /// How long the issuer asked to wait (`Retry-After`), if it did.
        retry_after: Option<Duration>,
        /// For a write that needed another token for a retry: the error of an earlier attempt that may have
        /// been applied.
        #[source]
        earlier: Option<Cause>,
    },

    /// The service responded with an error status.
    #[error("{operation}: {}{}", describe(*.status, .problem), earlier_note(.earlier))]
    #[non_exhaustive]
    Api {
        /// HTTP status.
        status: u16,
        /// The RFC 9457 problem; derived from the status if the body was not one (for example a proxy's
        /// page).
        problem: Box<Problem>,
        /// `X-Request-Id` of the response, or the problem's trace id: quote it to the operator of the
        /// service.
        request_id: Option<String>,
        /// How long the service asked to wait (`Retry-After`), if it did.
        retry_after: Option<Duration>,
        /// The tag (ETag) that the record has, if the service sent it: with a 412.
        tag: Option<Tag>,
        /// The operation asked for.
        operation: &'static str,
        /// For a write that was retried: the error of an earlier attempt that may have been applied. This
        /// response may then be a consequence of it, such as a 409 to a change of status that was already
        /// made.
        #[source]
        earlier: Option<Cause>,
    },

    /// Others have changed the same properties of the record. Nothing was changed;
    /// [`conflict`](Self::conflict) has both versions.
    #[error("{operation}: others have changed what was to be changed: {}; nothing was written{}", OneLine(&.properties.join(", ")), earlier_note(.earlier))]
    #[non_exhaustive]
    Conflict {
        /// The operation that was not carried out.
        operation: &'static str,
        /// The properties, named as on the wire.
        properties: Vec<String>,
        /// The versions of the record.
        versions: Versions,
        /// The error of an earlier attempt of the edit that may have been applied.
        #[source]
        earlier: Option<Cause>,
    },

    /// A success whose body does not match the interface.
    #[error("{operation}: the response does not match the interface at {}: {}", OneLine(.path), OneLine(.reason))]
    #[non_exhaustive]
    Decode {
        /// The operation asked for.
        operation: &'static str,
        /// The path in the body, for example `values[3].id`; `.` is the whole body.
        path: String,
        /// The type found and the type expected; never the value itself.
        reason: String,
    },

    /// The response body is larger than [`ClientBuilder::max_body_bytes`].
    ///
    /// [`ClientBuilder::max_body_bytes`]: crate::ClientBuilder::max_body_bytes
    #[error("{operation}: the response is larger than the limit of {limit} bytes")]
    #[non_exhaustive]
    TooLarge {
        /// The operation asked for.
        operation: &'static str,
        /// The limit, in bytes.
        limit: u64,
    },

    /// A list's `@odata.nextLink` was not followed: it would send the token to another origin, leads to its
    /// own page, or belongs to an expanded list, which is too long for the response.
    #[error("{operation}: the next link was not followed: {}", OneLine(.reason))]
    #[non_exhaustive]
    NextLink {
        /// The operation asked for.
        operation: &'static str,
        /// Why it was refused.
        reason: String,
    },

    /// A list kept changing while it was read again, so its remaining records cannot be determined. Read it
    /// in its default order, which tolerates changes, or try later.
    #[error(
        "{operation}: the list kept changing while it was read again; omit the order, or try later"
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

    /// A call of a blocking client (feature `blocking`) within an asynchronous runtime, whose tasks it would
    /// stop. Nothing was sent.
    #[error(
        "found a blocking call within an asynchronous runtime, expected obeya::Client there, or a thread of its own"
    )]
    InsideRuntime,
}

impl Error {
    /// HTTP status of the response, if there was one.
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

    /// The problem in an error response.
    #[must_use]
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Api { problem, .. } => Some(problem),
            _ => None,
        }
    }

    /// The id to quote to the operator of the service, if the response had one.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Api { request_id, .. } => request_id.as_deref(),
            _ => None,
        }
    }

    /// How long the service asked to wait before a retry (429 and 503).
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
            Self::Config(_) | Self::InsideRuntime => None,
            Self::Auth { .. } => Some("token"),
            Self::Connection { operation, .. }
            | Self::Timeout { operation, .. }
            | Self::Api { operation, .. }
            | Self::Conflict { operation, .. }
            | Self::Decode { operation, .. }
            | Self::TooLarge { operation, .. }
            | Self::NextLink { operation, .. }
            | Self::Changed { operation }
            | Self::Request { operation, .. } => Some(operation),
        }
    }

    /// This error, after an attempt that failed with `open` and may have been applied.
    pub(crate) fn after(mut self, open: Option<Cause>) -> Self {
        let Some(open) = open else { return self };
        match &mut self {
            Self::Api { earlier, .. }
            | Self::Auth { earlier, .. }
            | Self::Conflict { earlier, .. } => {
                earlier.get_or_insert(open);
            }
            // A connection that broke says itself that its attempt may have been applied.
            Self::Connection {
                connecting: connecting @ true,
                earlier,
                ..
            } => {
                *connecting = false;
                *earlier = Some(open);
            }
            _ => {}
        }
        self
    }

    /// True for a 404: no record has this id, or the client may not see it.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Api { status: 404, .. })
    }

    /// True for a 412: the record no longer has the tag given to [`if_match`](crate::Client::if_match).
    /// Nothing was changed.
    #[must_use]
    pub fn is_precondition_failed(&self) -> bool {
        matches!(self, Self::Api { status: 412, .. })
    }

    /// The versions of the record for [`Error::Conflict`]: `error.conflict::<IncidentV1>()`. `None` for
    /// another error, and for a record of another type.
    #[must_use]
    pub fn conflict<R: 'static>(&self) -> Option<&Conflict<R>> {
        match self {
            Self::Conflict { versions, .. } => versions.of(),
            _ => None,
        }
    }

    /// True if the same call may succeed later: no response, 429, 502, 503, 504, or a list that kept
    /// changing.
    ///
    /// The client has already used up its retries. Repeating a *create* may apply it twice, since it may have
    /// been applied before the connection broke; with your own
    /// [`idempotency_key`](crate::Client::idempotency_key) it is safe.
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

fn connection_failure(while_connecting: bool) -> &'static str {
    match while_connecting {
        true => "no connection",
        false => "the connection broke",
    }
}

/// The suffix of a message after an earlier attempt of unknown outcome.
fn earlier_note(open: &Option<Cause>) -> &'static str {
    match open {
        Some(_) => "; an earlier attempt broke off and may have been applied",
        None => "",
    }
}

/// Invalid settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// Environment variables that [`Client::from_env`](crate::Client::from_env) needs are missing or empty.
    #[error("not set in the environment: {}", .0.join(", "))]
    MissingVariables(Vec<String>),
    /// A required setting is missing or empty.
    #[error("{0} is not set")]
    Missing(&'static str),
    /// The value of a setting is invalid.
    #[error("{setting}: {reason}")]
    #[non_exhaustive]
    Invalid {
        /// The setting's name, as the builder method or environment variable is called.
        setting: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A secret would be sent in plain HTTP to another machine, and nothing allows it
    /// ([`allow_plain_http`](crate::ClientBuilder::allow_plain_http)).
    #[error(
        "the {secret} would be sent to {origin} without TLS and could be read in transit: use https, or allow it by allow_plain_http (OBEYA_ALLOW_PLAIN_HTTP=1)"
    )]
    #[non_exhaustive]
    PlainHttp {
        /// Which secret: `client secret` or `access token`.
        secret: &'static str,
        /// Where it would be sent.
        origin: String,
    },
    /// The HTTP client could not be set up, for example because the system has no root certificates.
    #[error("the HTTP client could not be set up: {0}")]
    Transport(String),
}

/// Converts a reqwest error. The text omits the URL, which may contain a filter with personal data.
pub(crate) fn connection(
    operation: &'static str,
    connecting: bool,
    error: reqwest::Error,
) -> Error {
    Error::Connection {
        operation,
        connecting,
        earlier: None,
        source: Arc::new(Chain(chain(&error.without_url()))),
    }
}

/// An error and its causes as one text.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Chain(String);

/// The messages of an error and its causes in one line: reqwest's own text is only the outermost layer
/// ("error sending request"), and log lines show no causes.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let layer = error.to_string();
        // Skip layers that only repeat their cause.
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
