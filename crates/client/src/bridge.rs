//! Between the generated calls and this crate: the transport as their executor, and their outcomes as ours.
//!
//! The generated client writes requests and reads answers; everything in between is the transport's. Nothing else in
//! this crate knows how the two are joined.

use std::sync::Arc;

use bytes::Bytes;
use obeya_api::{BoxFuture, ExecuteError, Executor, Operation, Reply};

use crate::decode;
use crate::error::{Error, Result};
use crate::transport::Transport;

/// The generated client of a transport.
pub(crate) fn api(transport: &Arc<Transport>) -> obeya_api::Client {
    obeya_api::Client::new(
        transport.config.base_url.as_str(),
        transport.http.clone(),
        Arc::<Transport>::clone(transport),
    )
}

/// The value of a generated call, or its failure as ours.
pub(crate) fn finish<T>(
    operation: Operation,
    outcome: Result<Reply<T>, obeya_api::Error>,
) -> Result<T> {
    match outcome {
        Ok(reply) => Ok(reply.into_inner()),
        Err(error) => Err(failure(operation, error)),
    }
}

/// A failed call. All that can go wrong on the wire comes from the transport and is ours already.
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
        Box::pin(async move {
            let reply = self.call(operation.id(), &request).await?;
            let mut response = http::Response::new(reply.body);
            *response.status_mut() = reply.status;
            *response.headers_mut() = reply.headers;
            Ok(response)
        })
    }
}
