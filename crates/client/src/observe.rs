//! Observes the HTTP exchanges of a client, attempt by attempt.
//!
//! For tests, logs and progress reports. An observer sees every response of the service, including bodies. It
//! never sees a token or a client secret, so exchanges with the token issuer are not observed. It must not
//! block: it runs on the task that makes the call.

use std::time::Duration;

/// Observes each attempt of each call.
pub trait Observer: Send + Sync {
    /// Called once for every attempt, after the body was read or the attempt failed.
    fn exchange(&self, exchange: &Exchange<'_>);
}

/// A request and its response.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exchange<'a> {
    /// `operationId` of the operation.
    pub operation: &'static str,
    /// HTTP method, in upper case.
    pub method: &'a str,
    /// The whole URL, including the query.
    pub url: &'a str,
    /// 1 for the first attempt of a call, 2 for the first retry, and so on.
    pub attempt: u32,
    /// Time from sending to the last byte of the body (or to the failure).
    pub duration: Duration,
    /// HTTP status, or `None` if no complete response arrived.
    pub status: Option<u16>,
    /// `X-Request-Id` of the response.
    pub request_id: Option<&'a str>,
    /// `Content-Type` of the response.
    pub content_type: Option<&'a str>,
    /// The decompressed response body; empty if no complete response arrived.
    pub body: &'a [u8],
}

impl<F> Observer for F
where
    F: Fn(&Exchange<'_>) + Send + Sync,
{
    fn exchange(&self, exchange: &Exchange<'_>) {
        self(exchange);
    }
}
