//! The client's way to its executor, which every call goes. Requests are not built here, and bodies are not
//! decoded.

use std::sync::Arc;

use bytes::Bytes;

use crate::executor::Handle;
use crate::{Client, Error, Executor, Operation};

impl Client {
    /// A client of the service at `base_url` (scheme, host, port and path prefix; a trailing slash is
    /// removed).
    ///
    /// `http` only builds requests; `executor` sends them, with its own client or a clone of this one.
    #[must_use]
    pub fn new(base_url: &str, http: reqwest::Client, executor: Arc<dyn Executor>) -> Self {
        Self::new_with_client(base_url.trim_end_matches('/'), http, Handle(executor))
    }

    /// Sends a request; returns its response if that is a success.
    pub(crate) async fn exchange(
        &self,
        operation: Operation,
        mut request: reqwest::Request,
    ) -> Result<http::Response<Bytes>, Error> {
        // The generated code adds a header with the version of the specification.
        request.headers_mut().remove("api-version");
        let executor = &self.inner.0;
        let answer = executor.execute(operation, request).await;
        let answer = answer.map_err(Error::Execute)?;
        if answer.status().is_success() {
            Ok(answer)
        } else {
            Err(Error::of_answer(&answer))
        }
    }
}
