//! Who carries a request out. The generated code only writes requests and reads answers.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;

use crate::Operation;

/// A future on the heap.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What an executor may fail with: anything. It comes out of [`crate::Error::into_executor`] as it went in.
pub type ExecuteError = Box<dyn std::error::Error + Send + Sync>;

/// Carries requests out: adds the token, sends, retries, limits time and size, reads the body.
///
/// Bodies are read here and not later, so that a connection that breaks in the middle can be retried, and so
/// that there is one limit on their size.
pub trait Executor: Send + Sync + 'static {
    /// Carries one call out and answers with the whole response.
    ///
    /// A response of any status is an answer: what is not a success becomes [`crate::Error::Answer`] with the
    /// problem in it. An executor that has its own error for that may return it instead.
    fn execute(
        &self,
        operation: Operation,
        request: reqwest::Request,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, ExecuteError>>;
}

/// The executor inside a client.
#[derive(Clone)]
pub(crate) struct Handle(pub(crate) Arc<dyn Executor>);

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Executor")
    }
}
