//! What a handler gets and how it answers: one authenticated, authorised and negotiated request of one operation.

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, HeaderValue};
use hyper::body::Incoming;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::accept::MINIMAL;
use super::path::Captures;
use super::problem::Problem;
use super::{extract, json};
use crate::app::App;
use crate::router::Operation;

/// One request on its way through a handler.
pub(crate) struct Call {
    /// What every handler shares: store, configuration, clock.
    pub(crate) app: Arc<App>,
    /// The operation that was matched.
    pub(crate) operation: Operation,
    pub(super) head: Parts,
    pub(super) body: Incoming,
    pub(super) captures: Captures,
    pub(super) media: HeaderValue,
}

impl Call {
    pub(crate) fn new(
        app: Arc<App>,
        operation: Operation,
        (head, body): (Parts, Incoming),
        captures: Captures,
        media: HeaderValue,
    ) -> Self {
        Self {
            app,
            operation,
            head,
            body,
            captures,
            media,
        }
    }

    /// The id in the path (the only one, or the first); 400 `path.invalid` when it is not an int32.
    pub(crate) fn id(&self) -> Result<i32, Problem> {
        self.id_at(0)
    }

    /// The `index`-th id in the path, from 0.
    pub(crate) fn id_at(&self, index: usize) -> Result<i32, Problem> {
        let text = self
            .captures
            .span(index)
            .map_or("", |span| &self.path()[span]);
        extract::int32(text).ok_or_else(|| {
            let name = extract::parameter_name(self.operation.path(), index);
            Problem::invalid_path(
                name,
                format!(
                    "expected an integer of 32 bits, found {}",
                    extract::quoted(text)
                ),
            )
        })
    }

    /// The path as it was asked for.
    pub(crate) fn path(&self) -> &str {
        self.head.uri.path()
    }

    /// The headers of the request.
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// The URL this caller reached the service under, without a trailing slash.
    pub(crate) fn base_url(&self) -> Cow<'_, str> {
        self.app.base_for(&self.head.headers)
    }

    /// Whether the answer is to begin with `@odata.context`: OData's minimal metadata.
    pub(crate) fn wants_context(&self) -> bool {
        self.media == MINIMAL
    }

    /// The raw query string, still percent-encoded; empty if there is none.
    pub(crate) fn query(&self) -> &str {
        self.head.uri.query().unwrap_or("")
    }

    /// Now, as 100 ns ticks since 1970-01-01T00:00Z, by the service's clock.
    pub(crate) fn now(&self) -> i64 {
        self.app.clock.ticks()
    }

    /// The body as `T`. Rejects, in this order: 415 (not `application/json`, or encoded), 413 (too large), 400 `body.malformed` (not
    /// JSON, a lone surrogate, too deep, NUL in a text), 400 `body.invalid` (against the schema; under `Prefer: handling=strict` also
    /// every unknown property).
    pub(crate) async fn json<T: DeserializeOwned>(&mut self) -> Result<T, Problem> {
        extract::json_content(&self.head.headers)?;
        let limits = &self.app.config.limits;
        let bytes = extract::bytes(
            &mut self.body,
            &self.head.headers,
            limits.body_bytes,
            limits.body_read,
        )
        .await?;
        json::parse(&bytes, extract::is_strict(&self.head.headers))
    }

    /// 200 with these bytes, in the negotiated media type.
    pub(crate) fn reply(&self, bytes: impl Into<Bytes>) -> Response {
        self.reply_stream(Body::from(bytes.into()))
    }

    /// 200 with this value as JSON, in the negotiated media type.
    pub(crate) fn reply_json<T: Serialize>(&self, value: &T) -> Result<Response, Problem> {
        serde_json::to_vec(value)
            .map(|bytes| self.reply(bytes))
            .map_err(Problem::internal)
    }

    /// 200 with a body that may still be growing, in the negotiated media type.
    pub(crate) fn reply_stream(&self, body: Body) -> Response {
        let mut response = Response::new(body);
        response
            .headers_mut()
            .insert(CONTENT_TYPE, self.media.clone());
        response
    }
}
