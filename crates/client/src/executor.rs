//! Connects the generated client to the transport: executes its requests, and maps its errors to ours.
//!
//! The generated client builds requests and decodes responses; the transport does everything in between.

use std::sync::Arc;

use bytes::Bytes;
use obeya_api::{BoxFuture, ExecuteError, Executor, Operation, Reply};

use crate::decode;
use crate::error::{Error, Result};
use crate::transport::Transport;

/// A generated client whose requests are sent by `executor`.
pub(crate) fn api(transport: &Transport, executor: Arc<dyn Executor>) -> obeya_api::Client {
    let base_url = transport.config.base_url.as_str();
    let http = transport.http.request_builder().clone();
    obeya_api::Client::new(base_url, http, executor)
}

/// The value of a generated call, or our error.
pub(crate) fn finish<T>(
    operation: Operation,
    outcome: Result<Reply<T>, obeya_api::Error>,
) -> Result<T> {
    finish_reply(operation, outcome).map(Reply::into_inner)
}

/// The value with the status and the headers of the response.
pub(crate) fn finish_reply<T>(
    operation: Operation,
    outcome: Result<Reply<T>, obeya_api::Error>,
) -> Result<Reply<T>> {
    outcome.map_err(|error| failure(operation, error))
}

/// Converts an error of the generated client. Errors of the transport are ours already.
fn failure(operation: Operation, error: obeya_api::Error) -> Error {
    let operation = operation.id();
    match error.into_executor::<Error>() {
        Ok(error) => *error,
        Err(obeya_api::Error::Decode { path, reason }) => Error::Decode {
            operation,
            path,
            reason: decode::kinds(reason),
        },
        Err(other) => Error::Request {
            operation,
            reason: other.to_string(),
        },
    }
}

impl Executor for Transport {
    fn execute(
        &self,
        operation: Operation,
        request: reqwest::Request,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, ExecuteError>> {
        Box::pin(async move { Ok(self.call(operation.id(), &request).await?) })
    }
}
