//! The input of a handler and its ways to answer: one authenticated, authorised and negotiated request of one
//! operation.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, ETAG};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::Serialize;

use crate::app::App;
use crate::auth::Caller;
use crate::http::accept::MINIMAL;
use crate::http::answer_buffer::AnswerBuffer;
use crate::http::body::{Body, Response};
use crate::http::client_address::ClientAddress;
use crate::http::etag::{Condition, Tag};
use crate::http::extract;
use crate::http::memory_budget::{OutOfMemory, Reservation};
use crate::http::path::Captures;
use crate::http::problem::Problem;
use crate::http::request_body::RequestBody;
use crate::http::request_id::{self, RequestId};
use crate::ops::errors::shown;
use crate::ops::gate::Gate;
use crate::spec::Operation;
use obeya_read::text::{int32, quoted};
use obeya_store::audit::Origin;
use obeya_store::grants::Grants;
use obeya_store::{RecordId, Session, Store, StoreError};

/// What is encoded in a segment of an address: all but the unreserved characters (RFC 3986, 2.3).
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// Space for the headers of a usual response, without growth.
const USUAL_HEADERS: usize = 10;

/// One request of an operation.
pub(crate) struct Call {
    /// The state that all handlers share: store, configuration, clock.
    pub(crate) app: Arc<App>,
    /// The matched operation.
    pub(crate) operation: Operation,
    /// The authenticated client.
    pub(crate) caller: Caller,
    head: Box<Parts>,
    body: RequestBody,
    captures: Captures,
    media: HeaderValue,
    /// The memory of the body. It is shared with all work that has the body or its values: such work goes on
    /// when the client disconnects.
    body_memory: Option<Arc<Reservation>>,
}

impl Call {
    pub(crate) fn new(
        app: Arc<App>,
        operation: Operation,
        caller: Caller,
        (head, body): (Box<Parts>, RequestBody),
        captures: Captures,
        media: HeaderValue,
    ) -> Self {
        Self {
            app,
            operation,
            caller,
            body_memory: None,
            head,
            body,
            captures,
            media,
        }
    }

    /// The id in the path (the first, if there are several); 400 `path.invalid` if it is not an int32.
    pub(crate) fn id(&self) -> Result<i32, Problem> {
        self.id_at(0)
    }

    /// The `index`-th id in the path, from 0.
    pub(crate) fn id_at(&self, index: usize) -> Result<i32, Problem> {
        let text = self
            .captures
            .span(index)
            .map_or("", |span| &self.path()[span]);
        int32(text).ok_or_else(|| {
            let name = extract::parameter_name(self.operation.path(), index);
            Problem::invalid_path(
                name,
                format!("expected an integer of 32 bits, found {}", quoted(text)),
            )
        })
    }

    /// The first id in the path: that of a user is a text, all others are integers.
    pub(super) fn record_id(&self) -> Result<RecordId, Problem> {
        match extract::parameter_name(self.operation.path(), 0) {
            "userId" => self.user_id().map(RecordId::from),
            _ => self.id().map(RecordId::from),
        }
    }

    /// The id of a user, which is the first parameter of the path.
    pub(super) fn user_id(&self) -> Result<String, Problem> {
        let text = self.name()?;
        if !self.captures.starts_with_key() {
            return Ok(text);
        }
        let inside = text
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''));
        // Inside, a quotation mark is doubled (OData ABNF, `string`).
        let is_string = |inside: &&str| !inside.replace("''", "").contains('\'');
        match inside.filter(is_string) {
            Some(inside) => Ok(inside.replace("''", "'")),
            None => Err(Problem::invalid_path(
                "userId",
                format!(
                    "expected a text in single quotation marks, found {}",
                    quoted(&text)
                ),
            )),
        }
    }

    /// The text in the path that names a record (the first, if there are several), decoded; 400
    /// `path.invalid` if it is no UTF-8, or contains NUL, which no text in the store does.
    pub(crate) fn name(&self) -> Result<String, Problem> {
        self.name_at(0)
    }

    /// The same for the `index`-th parameter of the path, from 0.
    pub(crate) fn name_at(&self, index: usize) -> Result<String, Problem> {
        let span = self.captures.span(index);
        let text = span.map_or("", |span| &self.path()[span]);
        let invalid = |expected: &str| {
            let name = extract::parameter_name(self.operation.path(), index);
            Problem::invalid_path(name, format!("expected {expected}, found {}", quoted(text)))
        };
        let decoded = percent_decode_str(text).decode_utf8();
        let decoded = decoded.map_err(|_| invalid("UTF-8"))?;
        if decoded.contains('\0') {
            return Err(invalid("text without NUL"));
        }
        Ok(decoded.into_owned())
    }

    /// The store, with the reads of the client of this request.
    pub(crate) fn store(&self) -> Store {
        self.app.store.for_client(&self.caller.client_id)
    }

    /// The records to which the client is restricted.
    pub(super) fn grants(&self) -> &Grants {
        &self.caller.client.grants
    }

    /// Looks up the record in the path, if the client is granted it.
    pub(super) async fn look_up<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Session) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        let gate = Gate::of(self);
        let work = move |session: &mut dyn Session| {
            gate.check(session, |noun, id| Problem::not_found(noun, shown(&id)))?;
            Ok(work(session)?)
        };
        self.store().look_up(work).await
    }

    /// The path of the request.
    pub(crate) fn path(&self) -> &str {
        self.head.uri.path()
    }

    /// The headers of the request.
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// The base URL of the service as the client sees it, without a trailing slash.
    pub(crate) fn base_url(&self) -> Cow<'_, str> {
        self.app.base_for(&self.head.headers)
    }

    /// The address of the record of this name in the collection that the path names, spelt as in the
    /// specification, with what follows it.
    pub(super) fn address_below(&self, name: &str, suffix: &str) -> Option<HeaderValue> {
        let mut address = self.base_url().into_owned();
        let mut captures = 0;
        for segment in self.operation.path().split('/').skip(1) {
            let segment = if segment.starts_with('{') {
                captures += 1;
                &self.path()[self.captures.span(captures - 1)?]
            } else {
                segment
            };
            address = address + "/" + segment;
        }
        Self::address_of(&address, name, suffix)
    }

    /// The address of the record of this name in this collection.
    pub(super) fn address_in(
        &self,
        collection: &str,
        name: &str,
        suffix: &str,
    ) -> Option<HeaderValue> {
        Self::address_of(&format!("{}{collection}", self.base_url()), name, suffix)
    }

    fn address_of(collection: &str, name: &str, suffix: &str) -> Option<HeaderValue> {
        let name = utf8_percent_encode(name, SEGMENT);
        HeaderValue::try_from(format!("{collection}/{name}{suffix}")).ok()
    }

    /// The negotiated media type of the answer.
    pub(crate) fn media(&self) -> &HeaderValue {
        &self.media
    }

    /// Whether the answer begins with `@odata.context`: OData's minimal metadata.
    pub(crate) fn wants_context(&self) -> bool {
        self.media == MINIMAL
    }

    /// The raw query string, still percent-encoded; empty if there is none.
    pub(crate) fn query(&self) -> &str {
        self.head.uri.query().unwrap_or("")
    }

    /// The current time by the service's clock, as 100 ns ticks since 1970-01-01T00:00Z.
    pub(crate) fn now(&self) -> i64 {
        self.app.clock.ticks()
    }

    /// Who sent the request, for the audit log.
    pub(super) fn origin(&self) -> Origin {
        let extensions = &self.head.extensions;
        let client = extensions.get::<ClientAddress>();
        let request_id = extensions.get::<RequestId>();
        let request_id = request_id.and_then(|RequestId(id)| id.to_str().ok());
        Origin {
            client_id: Some(self.caller.client_id.to_string()),
            address: client.map(|client| client.address.to_string()),
            request_id: request_id
                .filter(|id| request_id::is_random(id))
                .map(str::to_owned),
        }
    }

    /// The head of the request.
    pub(super) fn head(&self) -> &Parts {
        &self.head
    }

    /// Reads a body with a JSON content type, up to `limit` bytes.
    pub(super) async fn body(&mut self, limit: usize) -> Result<Bytes, Problem> {
        extract::json_content(&self.head.method, &self.head.headers)?;
        self.bytes(limit).await
    }

    /// Reads a body of whatever content type, up to `limit` bytes.
    pub(super) async fn bytes(&mut self, limit: usize) -> Result<Bytes, Problem> {
        let times = &self.app.config.limits;
        let mut memory = self.app.memory.body_of(&self.caller.client_id);
        let headers = &self.head.headers;
        let bytes = extract::bytes(&mut self.body, headers, limit, times, &mut memory).await?;
        self.body_memory = Some(Arc::new(memory));
        Ok(bytes)
    }

    /// The memory of the body, for work that may outlive the request.
    pub(super) fn body_memory(&self) -> Option<Arc<Reservation>> {
        self.body_memory.clone()
    }

    /// No memory yet for the answer.
    pub(super) fn answer_memory(&self) -> Reservation {
        self.app.memory.answer_to(&self.caller.client_id)
    }

    /// The buffer of an answer of this many rows that is sent while it is read.
    pub(super) fn answer_buffer(&self, rows: u32) -> AnswerBuffer {
        let client = &self.caller.client_id;
        AnswerBuffer::new(self.answer_memory(), rows, client, &self.app.slow_clients)
    }

    /// 200 with these bytes, whose memory is counted, in the negotiated media type.
    pub(super) fn reply(&self, bytes: Bytes) -> Response {
        self.reply_stream(Body::from(bytes))
    }

    /// 200 with this value as JSON, in the negotiated media type; 503 if there is no memory for it.
    pub(crate) fn reply_json<T: Serialize>(&self, value: &T) -> Result<Response, Problem> {
        let bytes = obeya_read::to_vec(value).map_err(Problem::internal)?;
        Ok(self.reply(self.answer_memory().of_whole(bytes)?))
    }

    /// 200 with the bytes of one record, which `memory` counts, and their tag; 304 if `If-None-Match` has the
    /// tag, which needs no memory. 503 if there is none.
    pub(super) fn reply_record(
        &self,
        bytes: Vec<u8>,
        memory: Reservation,
    ) -> Result<Response, OutOfMemory> {
        let tag = Tag::of(&bytes);
        let known = Condition::if_none_match(&self.head.headers);
        let mut response = if known.is_some_and(|known| known.names_weakly(&tag)) {
            let mut unchanged = Response::new(Body::empty());
            *unchanged.status_mut() = StatusCode::NOT_MODIFIED;
            unchanged
        } else {
            self.reply(memory.of_whole(bytes)?)
        };
        response.headers_mut().insert(ETAG, tag.header());
        Ok(response)
    }

    /// 200 with one record that was read whole; otherwise as [`Self::reply_record`]. 503 if there is no
    /// memory for it.
    pub(crate) fn reply_whole_record(&self, bytes: Vec<u8>) -> Result<Response, Problem> {
        Ok(self.reply_record(bytes, self.answer_memory())?)
    }

    /// The same with one record as JSON.
    pub(crate) fn reply_json_record<T: Serialize>(&self, value: &T) -> Result<Response, Problem> {
        self.reply_whole_record(obeya_read::to_vec(value).map_err(Problem::internal)?)
    }

    /// 200 without a body.
    pub(crate) fn reply_empty(&self) -> Response {
        Response::new(Body::empty())
    }

    /// 200 with a body that may still be read, in the negotiated media type.
    pub(crate) fn reply_stream(&self, body: Body) -> Response {
        let mut response = Response::new(body);
        let headers = response.headers_mut();
        headers.reserve(USUAL_HEADERS);
        headers.insert(CONTENT_TYPE, self.media.clone());
        response
    }
}
