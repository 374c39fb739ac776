//! Records the responses of a client, for callers that need more of them than the values.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use crate::Client;
use crate::error::Result;

/// Records the last successful response of the clients that [`Client::recording`] gives it to: status, headers
/// and undecoded body. Clones share it. Token requests and failed attempts are not recorded.
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

/// The value of a call with the response that it is made of; from [`Client::with_response`].
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

impl Client {
    /// Makes a call and returns its value with the response: status, headers (such as `x-request-id`, `ETag`,
    /// `RateLimit` or `Retry-After`) and the body before it was decoded. Make the call on the client that the
    /// closure receives; of several requests, as for the pages of a list, the last response counts.
    /// [`call_with_reply`](Self::call_with_reply) does the same for an operation by its parameters, without
    /// the body.
    ///
    /// ```no_run
    /// # async fn example(client: obeya::Client) -> obeya::Result<()> {
    /// let found = client.with_response(|client| async move { client.incidents().get(4711).await }).await?;
    /// if let Some(response) = found.response {
    ///     println!("{} {:?}", response.status(), response.headers().get("x-request-id"));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of the call.
    pub async fn with_response<T, F: Future<Output = Result<T>>>(
        &self,
        call: impl FnOnce(Client) -> F,
    ) -> Result<Answered<T>> {
        let recorder = Recorder::default();
        let value = call(self.recording(&recorder)).await?;
        let response = recorder.last();
        Ok(Answered { value, response })
    }
}
