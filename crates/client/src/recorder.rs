//! Records the responses of a client, for callers that need more of them than the values.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

/// Records the last successful response of the clients that [`Client::recording`] gives it to: status,
/// headers and undecoded body. Clones share it. Token requests and failed attempts are not recorded.
///
/// [`Client::recording`]: crate::Client::recording
#[derive(Clone, Default)]
pub struct Recorder(Arc<Mutex<Option<http::Response<Bytes>>>>);

impl Recorder {
    /// The last response; `None` before the first.
    #[must_use]
    pub fn last(&self) -> Option<http::Response<Bytes>> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.clone()
    }

    pub(crate) fn record(&self, response: http::Response<Bytes>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(response);
    }
}

impl fmt::Debug for Recorder {
    /// Headers and body may be confidential.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.last().map(|last| last.status());
        f.debug_struct("Recorder")
            .field("status", &status)
            .finish_non_exhaustive()
    }
}

/// The value of a call with the response that it is made of; from
/// [`Client::with_response`](crate::Client::with_response).
#[derive(Clone)]
#[non_exhaustive]
pub struct Answered<T> {
    /// What the call returns.
    pub value: T,
    /// The last response of the call, as the service sent it; `None` if the call sent no request.
    pub response: Option<http::Response<Bytes>>,
}

impl<T: fmt::Debug> fmt::Debug for Answered<T> {
    /// Headers and body may be confidential.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.response.as_ref().map(http::Response::status);
        f.debug_struct("Answered")
            .field("value", &self.value)
            .field("status", &status)
            .finish_non_exhaustive()
    }
}
