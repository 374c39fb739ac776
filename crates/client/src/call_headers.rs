//! The headers that a client adds to its calls, and the executor that adds them and records responses.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{IF_MATCH, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, Method};
use obeya_api::{BoxFuture, ExecuteError, Executor, Operation};

use crate::error::Error;
use crate::recorder::Recorder;
use crate::retry::IDEMPOTENCY_KEY;
use crate::tag::Tag;
use crate::transport::Transport;

/// The headers that the calls of a client carry.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallHeaders {
    pub(crate) if_match: Option<Tag>,
    pub(crate) if_none_match: Option<Tag>,
    pub(crate) idempotency_key: Option<String>,
    /// Headers of the caller's, for every request.
    pub(crate) own: HeaderMap,
    /// Receive each response.
    pub(crate) recorders: Vec<Recorder>,
}

/// Executes requests with the headers added.
pub(crate) struct Carrier {
    pub(crate) transport: Arc<Transport>,
    pub(crate) call_headers: CallHeaders,
}

impl CallHeaders {
    /// Adds the headers of the caller's.
    pub(crate) fn add_own_to(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.own {
            headers.insert(name, value.clone());
        }
    }

    /// Gives a response to the recorders.
    pub(crate) fn record(&self, response: &http::Response<Bytes>) {
        for recorder in &self.recorders {
            recorder.record(response.clone());
        }
    }

    /// Adds the headers that apply to the method.
    fn add_to(&self, method: &Method, headers: &mut HeaderMap) -> Result<(), &'static str> {
        self.add_own_to(headers);
        if method.is_safe() {
            if let Some(tag) = &self.if_none_match {
                headers.insert(IF_NONE_MATCH, header(tag)?);
            }
            return Ok(());
        }
        if let Some(key) = &self.idempotency_key {
            let is_visible = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
            // Quoted, as in the draft standard: a key may contain delimiters.
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
    HeaderValue::try_from(tag.as_str()).map_err(|_| "the tag cannot be sent in a header")
}

impl Executor for Carrier {
    fn execute(
        &self,
        operation: Operation,
        mut request: reqwest::Request,
    ) -> BoxFuture<'_, Result<http::Response<Bytes>, ExecuteError>> {
        let method = request.method().clone();
        let added = self.call_headers.add_to(&method, request.headers_mut());
        Box::pin(async move {
            added.map_err(|reason| Error::Request {
                operation: operation.id(),
                reason: reason.to_owned(),
            })?;
            let response = self.transport.execute(operation, request).await?;
            self.call_headers.record(&response);
            Ok(response)
        })
    }
}
