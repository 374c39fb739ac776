//! What a handler gets and how it answers: one authenticated, authorised and negotiated request of one operation.

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, ETAG};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use hyper::body::Incoming;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use tokio::sync::OwnedSemaphorePermit;

use super::accept::MINIMAL;
use super::etag::{Condition, Tag};
use super::idempotency::IDEMPOTENCY_KEY;
use super::path::Captures;
use super::problem::Problem;
use super::{extract, json};
use crate::app::App;
use crate::auth::Caller;
use crate::read;
use crate::router::Operation;

/// Bytes of a list that are read where the request is answered: that takes less time than two changes of threads.
const BRIEF_BYTES: usize = 16 << 10;

/// Bytes of a body that are digested before others on the thread have their turn.
const DIGESTED_BYTES: usize = 64 << 10;

/// One request on its way through a handler.
pub(crate) struct Call {
    /// What every handler shares: store, configuration, clock.
    pub(crate) app: Arc<App>,
    /// The operation that was matched.
    pub(crate) operation: Operation,
    /// Who calls.
    pub(crate) caller: Caller,
    pub(super) head: Parts,
    pub(super) body: Incoming,
    pub(super) captures: Captures,
    pub(super) media: HeaderValue,
    /// What was asked so far: path and query, and the body once it was read. Only of a request that may be sent again.
    asked: Option<Sha256>,
    /// What a large body takes in memory, for as long as the request lives: what is made of it waits for the writer.
    room: Option<OwnedSemaphorePermit>,
}

impl Call {
    pub(crate) fn new(
        app: Arc<App>,
        operation: Operation,
        caller: Caller,
        (head, body): (Parts, Incoming),
        captures: Captures,
        media: HeaderValue,
    ) -> Self {
        let asked = head.headers.contains_key(IDEMPOTENCY_KEY).then(|| {
            let path = head.uri.path().to_ascii_lowercase();
            let query = head.uri.query().unwrap_or("");
            Sha256::new()
                .chain_update(path)
                .chain_update([b'?'])
                .chain_update(query)
                .chain_update([0])
        });
        Self {
            app,
            operation,
            caller,
            asked,
            room: None,
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

    /// The media type of the answer, as negotiated.
    pub(crate) fn media(&self) -> &HeaderValue {
        &self.media
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
        let bytes = self.bytes(self.app.config.limits.body_bytes).await?;
        json::parse(&bytes, extract::is_strict(&self.head.headers))
    }

    /// The body as a list, which may be longer than other bodies, and of which up to `most` items that are wrong are named. Rejects as [`Self::json`] does.
    pub(crate) async fn items<T>(&mut self, most: usize) -> Result<Vec<T>, Problem>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let limits = &self.app.config.limits;
        self.room = Some(self.app.batches.take(&self.head.headers, limits).await?);
        let bytes = self.bytes(self.app.config.limits.batch_bytes).await?;
        let strict = extract::is_strict(&self.head.headers);
        if bytes.len() <= BRIEF_BYTES {
            return json::parse_items(&bytes, strict, most);
        }
        // Reading it takes as long as the caller likes, so not on a thread that answers others.
        tokio::task::spawn_blocking(move || json::parse_items(&bytes, strict, most))
            .await
            .map_err(Problem::internal)?
    }

    async fn bytes(&mut self, limit: usize) -> Result<Bytes, Problem> {
        extract::json_content(&self.head.headers)?;
        let time = self.app.config.limits.body_read;
        let bytes = extract::bytes(&mut self.body, &self.head.headers, limit, time).await?;
        if let Some(asked) = &mut self.asked {
            for (at, piece) in bytes.chunks(DIGESTED_BYTES).enumerate() {
                if at > 0 {
                    tokio::task::yield_now().await;
                }
                asked.update(piece);
            }
        }
        Ok(bytes)
    }

    /// 200 with these bytes, in the negotiated media type.
    pub(crate) fn reply(&self, bytes: impl Into<Bytes>) -> Response {
        self.reply_stream(Body::from(bytes.into()))
    }

    /// 200 with this value as JSON, in the negotiated media type.
    pub(crate) fn reply_json<T: Serialize>(&self, value: &T) -> Result<Response, Problem> {
        read::to_vec(value)
            .map(|bytes| self.reply(bytes))
            .map_err(Problem::internal)
    }

    /// A digest of the request as far as it was read, if it carries an `Idempotency-Key`. To be asked once the body was read.
    pub(crate) fn fingerprint(&self) -> Option<[u8; 32]> {
        let asked = self.asked.as_ref()?;
        Some(asked.clone().finalize().into())
    }

    /// 200 with the bytes of one record and their tag; 304 when `If-None-Match` names it.
    pub(crate) fn reply_record(&self, bytes: impl Into<Bytes>) -> Response {
        let bytes = bytes.into();
        let tag = Tag::of(&bytes);
        let known = Condition::if_none_match(&self.head.headers);
        let mut response = if known.is_some_and(|known| known.names_weakly(&tag)) {
            let mut unchanged = Response::new(Body::empty());
            *unchanged.status_mut() = StatusCode::NOT_MODIFIED;
            unchanged
        } else {
            self.reply(bytes)
        };
        response.headers_mut().insert(ETAG, tag.header());
        response
    }

    /// 200 with one record as JSON, as [`Self::reply_record`] answers with its bytes.
    pub(crate) fn reply_json_record<T: Serialize>(&self, value: &T) -> Result<Response, Problem> {
        read::to_vec(value)
            .map(|bytes| self.reply_record(bytes))
            .map_err(Problem::internal)
    }

    /// 200 without a body.
    pub(crate) fn reply_empty(&self) -> Response {
        Response::new(Body::empty())
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
