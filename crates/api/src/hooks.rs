//! The hooks of the generated client, which pass requests to the executor.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use progenitor_client::{ClientHooks, ClientInfo, Error as Generated, OperationInfo};

use crate::error::carrier;
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
}

/// Carries an error from `exec`, which can only return `reqwest::Error`, to `post`, which can return more.
#[derive(Clone)]
struct Failure(Arc<Mutex<Option<Error>>>);

impl ClientHooks<Handle> for Client {
    async fn pre<E>(
        &self,
        request: &mut reqwest::Request,
        _: &OperationInfo,
    ) -> Result<(), Generated<E>> {
        // The generated code adds a header with the version of the specification; remove it.
        request.headers_mut().remove("api-version");
        Ok(())
    }

    async fn exec(
        &self,
        request: reqwest::Request,
        info: &OperationInfo,
    ) -> reqwest::Result<reqwest::Response> {
        let outcome = match Operation::of_method(info.operation_id) {
            Some(operation) => {
                let executor = &self.inner().0;
                executor
                    .execute(operation, request)
                    .await
                    .map_err(Error::Execute)
            }
            None => Err(Error::Request(format!(
                "no operation `{}`",
                info.operation_id
            ))),
        };
        Ok(match outcome {
            Ok(answer) if answer.status().is_success() => answer.into(),
            Ok(answer) => failed(Error::of_answer(&answer)),
            Err(error) => failed(error),
        })
    }

    async fn post<E>(
        &self,
        result: &reqwest::Result<reqwest::Response>,
        _: &OperationInfo,
    ) -> Result<(), Generated<E>> {
        let failure = result
            .as_ref()
            .ok()
            .and_then(|response| response.extensions().get::<Failure>());
        let error = failure.and_then(|failure| failure.0.lock().ok()?.take());
        match error {
            Some(error) => Err(Generated::InvalidResponsePayload(
                Bytes::new(),
                carrier(error),
            )),
            None => Ok(()),
        }
    }
}

/// A response that only carries an error to `post`.
fn failed(error: Error) -> reqwest::Response {
    let mut response = http::Response::new(Bytes::new());
    *response.status_mut() = http::StatusCode::INTERNAL_SERVER_ERROR;
    let failure = Failure(Arc::new(Mutex::new(Some(error))));
    response.extensions_mut().insert(failure);
    response.into()
}
