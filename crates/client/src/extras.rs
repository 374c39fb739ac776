//! What the calls of a client carry beyond their parameters, in headers: the executor that adds them.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::header::{ETAG, IF_MATCH, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, Method};
use obeya_api::{BoxFuture, ExecuteError, Executor, Operation};

use crate::error::Error;
use crate::retry::IDEMPOTENCY_KEY;
use crate::transport::Transport;

/// The state of one record or page, as its answer named it (`ETag`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tag(String);

impl Tag {
    /// From the text of a header, quotes included.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// As it stands in a header.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the calls of a client carry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    pub(crate) if_match: Option<Tag>,
    pub(crate) if_none_match: Option<Tag>,
    pub(crate) idempotency_key: Option<String>,
    /// Where the tag of the last answer is left.
    pub(crate) tag: Option<Arc<Mutex<Option<Tag>>>>,
}

/// Carries requests out with what is added to them.
pub(crate) struct Carrier {
    pub(crate) transport: Arc<Transport>,
    pub(crate) extras: Extras,
}

impl Extras {
    /// Adds to a request what its method takes.
    fn add_to(&self, method: &Method, headers: &mut HeaderMap) -> Result<(), &'static str> {
        if method.is_safe() {
            if let Some(tag) = &self.if_none_match {
                headers.insert(IF_NONE_MATCH, header(tag)?);
            }
            return Ok(());
        }
        if let Some(key) = &self.idempotency_key {
            let is_visible = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
            // In quotes, as the draft has it: a key may hold what would end one without them.
            let quoted = format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""));
            let value = HeaderValue::try_from(quoted).ok().filter(|_| is_visible);
            let value = value.ok_or("the idempotency key must be of visible ASCII characters")?;
            headers.insert(IDEMPOTENCY_KEY, value);
        }
        if *method != Method::POST
            && let Some(tag) = &self.if_match
        {
            headers.insert(IF_MATCH, header(tag)?);
        }
        Ok(())
    }
}

fn header(tag: &Tag) -> Result<HeaderValue, &'static str> {
    HeaderValue::try_from(tag.as_str()).map_err(|_| "the tag fits no header")
}

impl Executor for Carrier {
    fn execute(
        &self,
        operation: Operation,
        mut request: reqwest::Request,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, ExecuteError>> {
        let method = request.method().clone();
        let added = self.extras.add_to(&method, request.headers_mut());
        Box::pin(async move {
            added.map_err(|reason| Error::Request {
                operation: operation.id(),
                reason: reason.to_owned(),
            })?;
            let response = self.transport.execute(operation, request).await?;
            if let Some(seen) = &self.extras.tag {
                let tag = response
                    .headers()
                    .get(ETAG)
                    .and_then(|tag| tag.to_str().ok());
                *seen.lock().unwrap_or_else(PoisonError::into_inner) = tag.map(Tag::new);
            }
            Ok(response)
        })
    }
}
