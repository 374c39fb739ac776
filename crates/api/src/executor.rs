//! The interface that sends requests. The generated code only builds requests and decodes responses.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;

use crate::Operation;

/// A boxed future.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Any error of an executor; [`crate::Error::into_executor`] returns it unchanged.
pub type ExecuteError = Box<dyn std::error::Error + Send + Sync>;

/// Executes requests: adds the token, sends, retries, limits time and size, reads the body.
///
/// The executor also reads the body, so that a broken connection can be retried, and so that one place limits
/// the size.
pub trait Executor: Send + Sync + 'static {
    /// Executes one call and returns the whole response.
    ///
    /// A response of any status is `Ok`: an error status becomes [`crate::Error::Answer`] with the problem.
    /// An executor may return its own error instead.
    fn execute(
        &self,
        operation: Operation,
        request: reqwest::Request,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, ExecuteError>>;
}

/// The executor of a client.
#[derive(Clone)]
pub(crate) struct Handle(pub(crate) Arc<dyn Executor>);

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Executor")
    }
}
