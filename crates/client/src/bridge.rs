//! Between the generated calls and this crate: the transport as their executor, and their outcomes as ours.
//!
//! The generated client writes requests and reads answers; everything in between is the transport's. Nothing else in
//! this crate knows how the two are joined.

use std::sync::Arc;

use bytes::Bytes;
use obeya_api::{BoxFuture, ExecuteError, Executor, Operation, Reply};

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

/// The body of an answer as it came, for a decoder of our own: `send` makes the generated call with the client that
/// it is given.
#[cfg(feature = "arrow")]
pub(crate) async fn raw<T, F>(
    client: &crate::Client,
    operation: Operation,
    send: impl FnOnce(obeya_api::Client) -> F,
) -> Result<Bytes>
where
    F: Future<Output = Result<Reply<T>, obeya_api::Error>>,
{
    let tap = Tap(Arc::clone(client.transport()));
    let outcome = send(client.api().with_executor(Arc::new(tap))).await;
    let error = match outcome {
        Err(error) => error,
        Ok(_) => {
            return Err(Error::Request {
                operation: operation.id(),
                reason: "the answer was not handed out".to_owned(),
            });
        }
    };
    match error.into_executor::<Taken>() {
        Ok(taken) => Ok(taken.0),
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
            reason,
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

/// Keeps a success from being decoded by the generated code: it comes out as the call's "failure", untouched.
#[cfg(feature = "arrow")]
struct Tap(Arc<Transport>);

#[cfg(feature = "arrow")]
impl Executor for Tap {
    fn execute(
        &self,
        operation: Operation,
        request: reqwest::Request,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, ExecuteError>> {
        Box::pin(async move {
            let reply = self.0.call(operation.id(), &request).await?;
            Err(Taken(reply.body).into())
        })
    }
}

/// The body that [`Tap`] took.
#[cfg(feature = "arrow")]
#[derive(Debug, thiserror::Error)]
#[error("the answer was taken as it is")]
struct Taken(Bytes);
