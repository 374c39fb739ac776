//! The window on the wire: what was asked and what came back, try by try.
//!
//! For tests, logs and progress reports. An observer sees every answer of the service, bodies included; it
//! never sees a token or a client secret, so exchanges with the token issuer are not shown at all. It must
//! not block: it runs on the task that makes the call.

use std::time::Duration;

/// Sees each try of each call.
pub trait Observer: Send + Sync {
    /// Called once for every try, after the body was read or the try failed.
    fn exchange(&self, exchange: &Exchange<'_>);
}

/// One request and its answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exchange<'a> {
    /// `operationId` of the operation.
    pub operation: &'static str,
    /// HTTP method, in capitals.
    pub method: &'a str,
    /// The whole URL, query included.
    pub url: &'a str,
    /// 1 for the first try of a call, 2 for the first repetition, and so on.
    pub attempt: u32,
    /// Time from sending to the last byte of the body (or to the failure).
    pub duration: Duration,
    /// HTTP status, or `None` when no complete answer arrived.
    pub status: Option<u16>,
    /// `Content-Type` of the answer.
    pub content_type: Option<&'a str>,
    /// The answer's body, decompressed; empty when no complete answer arrived.
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
