//! Who carries a request out. The generated code only writes requests and reads answers.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use crate::Operation;

/// A future on the heap.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What an executor may fail with: anything. It comes out of [`crate::Error::into_executor`] as it went in.
pub type ExecuteError = Box<dyn std::error::Error + Send + Sync>;

/// Carries requests out: adds the token, sends, retries, limits time and size, reads the body.
///
/// Bodies are read here and not later, so that a connection that breaks in the middle can be retried, and so that there
/// is one limit on their size.
pub trait Executor: Send + Sync + 'static {
    /// Carries one call out and answers with the whole response.
    ///
    /// A response of any status is an answer: what is not a success becomes [`crate::Error::Answer`] with the problem in
    /// it. An executor that has its own error for that may return it instead.
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

/// Sends each request once, as it is, and reads at most so much of the answer.
#[derive(Clone, Debug)]
pub struct Direct {
    http: reqwest::Client,
    max_body_bytes: u64,
}

impl Direct {
    /// Sends with `http`; an answer of more than `max_body_bytes`, decompressed, is [`TooLarge`].
    #[must_use]
    pub const fn new(http: reqwest::Client, max_body_bytes: u64) -> Self {
        Self {
            http,
            max_body_bytes,
        }
    }
}

impl Executor for Direct {
    fn execute(
        &self,
        _: Operation,
        request: reqwest::Request,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, ExecuteError>> {
        Box::pin(async move {
            let response = self.http.execute(request).await?;
            read_body(response, self.max_body_bytes).await
        })
    }
}

/// The answer's body is larger than allowed; reading stopped there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer is larger than the limit of {limit} bytes")]
pub struct TooLarge {
    /// The limit, in bytes after decompression.
    pub limit: u64,
}

/// Reads the whole body, at most `limit` bytes of it after decompression.
///
/// # Errors
/// [`TooLarge`], or the `reqwest::Error` of a connection that broke.
pub async fn read_body(
    mut response: reqwest::Response,
    limit: u64,
) -> Result<http::Response<Bytes>, ExecuteError> {
    let mut builder = http::Response::builder()
        .status(response.status())
        .version(response.version());
    if let Some(headers) = builder.headers_mut() {
        *headers = std::mem::take(response.headers_mut());
    }
    // The announced length is that of the wire; a compressed body has none, and is counted as it unpacks.
    if response
        .content_length()
        .is_some_and(|announced| announced > limit)
    {
        return Err(TooLarge { limit }.into());
    }
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await? {
        if (body.len() + chunk.len()) as u64 > limit {
            return Err(TooLarge { limit }.into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(builder.body(body.freeze())?)
}
