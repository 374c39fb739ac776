//! What a call may carry beyond its parameters: the state of the record that it is about, and the caller's
//! name for it; and the tag that an answer carries.
//!
//! All of it travels in headers, so it is the same for every operation and stands beside the generated calls,
//! not in them.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Client;
use crate::error::Result;
use crate::extras::{Extras, Tag};

/// An answer with the tag of its state; from [`Client::tagged`] and [`Client::tagged_unless`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tagged<T> {
    /// The answer: a record, or a page of values.
    pub value: T,
    /// Its tag; `None` from a service that gives none.
    pub tag: Option<Tag>,
}

impl Client {
    /// The same client, whose writes are carried out only if the record still has this tag: a change that
    /// somebody else made in between is not overwritten. It goes with every PUT and DELETE; whatever else is
    /// called is as it was.
    ///
    /// A write that comes too late fails ([`is_precondition_failed`](crate::Error::is_precondition_failed))
    /// and changes nothing: read the record again.
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
        self.carrying(|extras| extras.if_match = Some(tag))
    }

    /// The same client, whose writes carry this `Idempotency-Key` instead of one made up for each call:
    /// however often, and from however many processes, the same write is sent under it during a day, it is
    /// carried out once, and all are answered with the record, as it is when they ask. Once that is gone, the
    /// same write fails with status 404. Another write under the key fails with status 422
    /// (`idempotency.mismatch`).
    ///
    /// Name what is written and not the try: the number of an order, say. 1 to 255 visible ASCII characters.
    ///
    /// On a service that does not know the header, it is for the caller to see that nothing is sent twice:
    /// whoever names a key says that the service keeps to it, and a POST is then tried again like a PUT.
    #[must_use]
    pub fn idempotency_key(&self, key: impl Into<String>) -> Self {
        self.carrying(|extras| extras.idempotency_key = Some(key.into()))
    }

    /// Makes a call and gives its answer with the tag that came along, for [`if_match`](Self::if_match). The
    /// call is made on the client that is handed in; of several calls the last answer counts.
    ///
    /// # Errors
    /// What the call gives.
    pub async fn tagged<T, F: Future<Output = Result<T>>>(
        &self,
        call: impl FnOnce(Client) -> F,
    ) -> Result<Tagged<T>> {
        let seen = Arc::new(Mutex::new(None));
        let client = self.carrying(|extras| extras.tag = Some(Arc::clone(&seen)));
        let value = call(client).await?;
        let tag = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(Tagged { value, tag })
    }

    /// Makes a call for what its answer has become: `None` if that still has this tag, and then nothing was
    /// read or sent but that. Without a tag it is what [`tagged`](Self::tagged) is, so that whoever keeps an
    /// answer begins with none.
    ///
    /// Single records and pages of values have tags. Of a service that gives none, every answer comes whole
    /// and its tag is `None`. The tag is that of one question: make one call, and the same each time.
    ///
    /// ```no_run
    /// # async fn example(client: obeya::Client, kept: obeya::Tag) -> obeya::Result<()> {
    /// let call = |client: obeya::Client| async move { client.datasources().values(12).page(1).await };
    /// match client.tagged_unless(Some(&kept), call).await? {
    ///     None => println!("as it was"),
    ///     Some(found) => println!("{} values, to be kept under {:?}", found.value.count, found.tag),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// What the call gives.
    pub async fn tagged_unless<T, F: Future<Output = Result<T>>>(
        &self,
        tag: Option<&Tag>,
        call: impl FnOnce(Client) -> F,
    ) -> Result<Option<Tagged<T>>> {
        let asking = self.carrying(|extras| extras.if_none_match = tag.cloned());
        match asking.tagged(call).await {
            Ok(found) => Ok(Some(found)),
            // To a call without a condition it is no answer.
            Err(error) if tag.is_some() && error.status() == Some(304) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn carrying(&self, change: impl FnOnce(&mut Extras)) -> Self {
        let mut extras = self.extras().clone();
        change(&mut extras);
        self.with(extras)
    }
}
