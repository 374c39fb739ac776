//! Conditional requests and idempotency keys: headers that a call may carry beyond its parameters, and the
//! tag (ETag) of a response, or all of it.
//!
//! They are headers, so they are the same for every operation and not part of the generated calls.

use http::{HeaderName, HeaderValue, header};

use crate::Client;
use crate::call_headers::CallHeaders;
use crate::error::{ConfigError, Result};
use crate::recorder::{Answered, Recorder};
use crate::retry::IDEMPOTENCY_KEY;
use crate::tag::Tag;

/// A response with the tag (ETag) of its state; from [`Client::tagged`] and [`Client::tagged_unless`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tagged<T> {
    /// The response: a record, or a page of values.
    pub value: T,
    /// Its tag; `None` if the service sends none.
    pub tag: Option<Tag>,
}

/// The headers without which a request would not be the one of its operation, and those with a method.
const SET_BY_CLIENT: [HeaderName; 9] = [
    IDEMPOTENCY_KEY,
    header::ACCEPT,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::HOST,
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    header::TRANSFER_ENCODING,
];

impl Client {
    /// A client whose writes (PUT and DELETE) are applied only if the record still has this tag (`If-Match`),
    /// so that concurrent changes are not overwritten. Other calls are not affected.
    ///
    /// If the record has changed, the write fails
    /// ([`is_precondition_failed`](crate::Error::is_precondition_failed)) without effect: read the record
    /// again.
    ///
    /// ```no_run
    /// # async fn example(client: obeya::Client, close: impl Fn(&obeya::model::Improvement) -> obeya::model::ImprovementUpdate) -> obeya::Result<()> {
    /// let found = client.tagged(|client| async move { client.improvements().get(317).await }).await?;
    /// let update = close(&found.value);
    /// if let Some(tag) = found.tag {
    ///     client.if_match(tag).improvements().update(317, &update).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn if_match(&self, tag: Tag) -> Self {
        self.carrying(|call_headers| call_headers.if_match = Some(tag))
    }

    /// A client whose writes carry this `Idempotency-Key` instead of a random one for each call. However
    /// often the same write is sent with it within 24 hours, from any process, it is applied once, and every
    /// response has the record's current state. If the record was deleted since, the same write fails with
    /// status 404. Another write with the key fails with status 422 (`idempotency.mismatch`).
    ///
    /// Name the write and not the attempt, for example by an order number. 1 to 255 visible ASCII characters.
    ///
    /// Do not use it with a service that ignores the header: a key implies that the service supports it, so a
    /// POST is retried like a PUT.
    #[must_use]
    pub fn idempotency_key(&self, key: impl Into<String>) -> Self {
        self.carrying(|call_headers| call_headers.idempotency_key = Some(key.into()))
    }

    /// A client whose requests carry this header too, such as `traceparent` or what a gateway requires. An
    /// `Authorization` of the client's own takes precedence.
    ///
    /// # Errors
    /// [`ConfigError::Invalid`](crate::ConfigError::Invalid) for what no header can be, and for a header that
    /// the client sets: `Accept`, `Content-Type`, `Content-Length`, `Transfer-Encoding`, `Connection` and
    /// `Host`, and `If-Match`, `If-None-Match` and `Idempotency-Key`, which have methods.
    pub fn header(&self, name: &str, value: &str) -> Result<Self> {
        let invalid = |reason: String| ConfigError::Invalid {
            setting: "header",
            reason,
        };
        let known = HeaderName::try_from(name)
            .map_err(|_| invalid(format!("{name:?} is no name of a header")))?;
        if SET_BY_CLIENT.contains(&known) {
            let reason = format!("found {known}, which the client sets itself");
            return Err(invalid(reason).into());
        }
        // The value may be a secret.
        let value = HeaderValue::try_from(value).map_err(|_| {
            invalid(format!(
                "the value of {name} has characters that a header cannot contain"
            ))
        })?;
        Ok(self.carrying(|call_headers| {
            call_headers.own.insert(known, value);
        }))
    }

    /// Makes a call and returns its response with its tag, for [`if_match`](Self::if_match). Make the call on
    /// the client that the closure receives; of several calls the last response counts.
    ///
    /// # Errors
    /// Those of the call.
    pub async fn tagged<T, F: Future<Output = Result<T>>>(
        &self,
        call: impl FnOnce(Client) -> F,
    ) -> Result<Tagged<T>> {
        let recorder = Recorder::default();
        let value = call(self.recording(&recorder)).await?;
        let tag = recorder.last().and_then(|last| Tag::of(last.headers()));
        Ok(Tagged { value, tag })
    }

    /// Makes a conditional call (`If-None-Match`): `None` if the response would still have this tag, and then
    /// no content was read or sent. Without a tag it is the same as [`tagged`](Self::tagged), for the first
    /// call.
    ///
    /// Single records and pages of values have tags. A service without tags always sends the whole response,
    /// and its tag is `None`. A tag belongs to one request: make a single call, and the same one each time.
    ///
    /// ```no_run
    /// # async fn example(client: obeya::Client, stored: obeya::Tag) -> obeya::Result<()> {
    /// let call = |client: obeya::Client| async move { client.datasources().values(12).page(1).await };
    /// match client.tagged_unless(Some(&stored), call).await? {
    ///     None => println!("unchanged"),
    ///     Some(found) => println!("{} values, to be stored with {:?}", found.value.count, found.tag),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of the call.
    pub async fn tagged_unless<T, F: Future<Output = Result<T>>>(
        &self,
        tag: Option<&Tag>,
        call: impl FnOnce(Client) -> F,
    ) -> Result<Option<Tagged<T>>> {
        let asking = self.if_none_match(tag.cloned());
        unless_unchanged(tag, asking.tagged(call).await)
    }

    /// Makes a call and returns its value with the response: status, headers (such as `x-request-id`, `ETag`,
    /// `RateLimit` or `Retry-After`) and the body before it was decoded. Make the call on the client that the
    /// closure receives; of several requests, as for the pages of a list, the last response counts.
    /// [`call_with_reply`](Self::call_with_reply) does the same for an operation by its parameters, without
    /// the body.
    ///
    /// ```no_run
    /// # async fn example(client: obeya::Client) -> obeya::Result<()> {
    /// let found = client.with_response(|client| async move { client.incidents().get(4711).await }).await?;
    /// if let Some(response) = found.response {
    ///     println!("{} {:?}", response.status(), response.headers().get("x-request-id"));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of the call.
    pub async fn with_response<T, F: Future<Output = Result<T>>>(
        &self,
        call: impl FnOnce(Client) -> F,
    ) -> Result<Answered<T>> {
        let recorder = Recorder::default();
        let value = call(self.recording(&recorder)).await?;
        let response = recorder.last();
        Ok(Answered { value, response })
    }

    /// A client whose responses the recorder receives too. [`with_response`](Self::with_response) is shorter
    /// for a single call.
    #[must_use]
    pub fn recording(&self, recorder: &Recorder) -> Self {
        self.carrying(|call_headers| call_headers.recorders.push(recorder.clone()))
    }

    /// A client whose writes carry this tag, or none.
    pub(crate) fn with_if_match(&self, tag: Option<Tag>) -> Self {
        self.carrying(|call_headers| call_headers.if_match = tag)
    }

    /// A client whose reads carry this tag as the one that is known.
    pub(crate) fn if_none_match(&self, tag: Option<Tag>) -> Self {
        self.carrying(|call_headers| call_headers.if_none_match = tag)
    }

    fn carrying(&self, change: impl FnOnce(&mut CallHeaders)) -> Self {
        let mut call_headers = self.call_headers().clone();
        change(&mut call_headers);
        self.with(call_headers)
    }
}

/// The outcome of a conditional call: `None` if the response would still have the tag.
pub(crate) fn unless_unchanged<T>(
    tag: Option<&Tag>,
    found: Result<Tagged<T>>,
) -> Result<Option<Tagged<T>>> {
    match found {
        Ok(found) => Ok(Some(found)),
        // 304 is no valid response to an unconditional call.
        Err(error) if tag.is_some() && error.status() == Some(304) => Ok(None),
        Err(error) => Err(error),
    }
}
