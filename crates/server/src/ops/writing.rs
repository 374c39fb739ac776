//! The one way in which a handler writes: the work runs in the store's writer, and around it, in the same transaction, whatever belongs to every write.
//!
//! - `If-Match`: the record as it is now must have one of the tags; else 412 `precondition.failed`, and
//!   nothing is changed.
//! - `Idempotency-Key`: that the request was carried out is stored with the change for a day. The same
//!   request under the same key changes nothing and is answered with the record as it is by then; another
//!   request under it is 422 `idempotency.mismatch`. What is refused is not stored: it changed nothing, and
//!   may be mended and sent again. A client that has used too many keys gets 429 `idempotency.quota`.
//! - `ETag`: an answer that is one record says which state of it is meant.
//! - Whoever may not read the record sees no more of it than its request set (`view.rs`).
//!
//! No rules of a resource here, and no SQL.

use std::fmt::Write as _;

use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{ETAG, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};

use super::view::{Attempt, Record, View};
use crate::http::call::Call;
use crate::http::etag::{Condition, Tag};
use crate::http::idempotency;
use crate::http::problem::Problem;
use crate::read;
use crate::store::answers::{self, IdempotencyRecord, Key, RETENTION_TICKS, StoredAnswer};
use crate::store::refusal::Refusal;
use crate::store::{Dialect, Session, StoreError};

/// Ticks of 100 ns in a second.
const TICKS_PER_SECOND: i64 = 10_000_000;

/// A write that a request asks for, before its work is known.
pub(crate) struct Writing<'c> {
    call: &'c Call,
    repeatable: Option<Repeatable>,
    condition: Option<Condition>,
    present: Option<Box<Present>>,
    view: View,
}

/// The tag of the record that a condition is about, as the caller knows it.
type Present = dyn Fn(&mut dyn Session) -> Result<Tag, Ended> + Send;

/// A request that may be sent again.
struct Repeatable {
    key: Key,
    fingerprint: String,
    /// Most keys that the client may have.
    quota: i64,
    now: i64,
}

/// What every record has.
#[derive(Deserialize)]
struct Identified {
    id: i32,
}

/// How a request came to its end.
enum Outcome<T> {
    /// It was carried out now.
    Done(T),
    /// It was carried out before.
    Repeated(StoredAnswer),
}

/// Why a write ended without a change.
enum Ended {
    Refused(Refusal),
    /// The record has this tag and not one of those named.
    Changed(Tag),
    /// Tags were named where nothing has one.
    Untagged,
    /// It was carried out before.
    Answered(StoredAnswer),
    /// The key belongs to another request.
    OtherRequest,
    /// The client may not use another key for so many seconds.
    OverQuota(i64),
    /// An answer that is no JSON.
    Unwritable(serde_json::Error),
}

/// The write that a request asks for. 400 `header.invalid` when `If-Match` or `Idempotency-Key` is not of its form. To be asked after the body was read.
pub(crate) fn of(call: &Call) -> Result<Writing<'_>, Problem> {
    let condition = Condition::if_match(call.headers())?;
    let repeatable = match (idempotency::key(call.headers())?, call.fingerprint()) {
        (Some(key), Some(fingerprint)) => Some(Repeatable {
            key: Key {
                client_id: call.caller.client_id.clone(),
                operation: call.operation.id(),
                key,
            },
            fingerprint: URL_SAFE_NO_PAD.encode(fingerprint),
            quota: call.app.config.limits.idempotency_keys.into(),
            now: call.now(),
        }),
        _ => None,
    };
    Ok(Writing {
        call,
        repeatable,
        condition,
        present: None,
        view: View::of(call),
    })
}

impl Writing<'_> {
    /// Says what the request sets: an object with properties of the record. It is all that a caller who may
    /// not read the record is shown of what may be empty.
    pub(crate) fn setting(mut self, body: &impl Serialize) -> Result<Self, Problem> {
        self.view.show_written(body).map_err(Problem::internal)?;
        Ok(self)
    }

    /// What `If-Match` is compared with: the record as it is now, or the refusal of a record that is not
    /// there.
    pub(crate) fn against(
        mut self,
        record: impl Fn(&mut dyn Session) -> Result<Record, Refusal> + Send + 'static,
    ) -> Self {
        if self.condition.is_some() {
            let view = self.view.clone();
            self.present = Some(Box::new(move |session| {
                view.tag(&record(session)?).map_err(Ended::Unwritable)
            }));
        }
        self
    }

    /// Writes, and answers with one record; `current` finds it again by its id, for a request that is
    /// repeated.
    pub(crate) async fn record(
        self,
        current: impl FnOnce(&mut dyn Session, i32) -> Result<Record, Refusal> + Send + 'static,
        work: impl Fn(&mut dyn Session) -> Result<Record, Refusal> + Send + 'static,
    ) -> Result<Response, Problem> {
        let (call, view) = (self.call, self.view.clone());
        let work = move |session: &mut dyn Session| {
            let record = work(session)?;
            let stored = StoredAnswer::Record(record.id);
            Ok((record, stored))
        };
        let stored = match self.run(work).await? {
            Outcome::Done(record) => return reply(call, &view, record, Attempt::First),
            Outcome::Repeated(stored) => stored,
        };
        let id = match stored {
            StoredAnswer::Record(id) => id,
            // An older program beside this one, over the same database, stores the record that it answered with.
            StoredAnswer::Text(text) => {
                let record: Identified = serde_json::from_str(&text).map_err(Problem::internal)?;
                record.id
            }
            StoredAnswer::Nothing => {
                return Err(Problem::internal(
                    "a write of a record was answered with nothing",
                ));
            }
        };
        let found = call.app.store.read(move |session| current(session, id));
        let replied = match found.await {
            Ok(record) => reply(call, &view, record, Attempt::Repeated),
            Err(refusal) => Err(refusal.into()),
        };
        let (name, value) = idempotency::replayed();
        replied
            .map(replayed)
            .map_err(|problem| problem.header(name, value))
    }

    /// Writes, and answers with JSON that tells nothing of any record, such as how many there were.
    pub(crate) async fn figures<R: Serialize>(
        self,
        work: impl Fn(&mut dyn Session) -> Result<R, Refusal> + Send + 'static,
    ) -> Result<Response, Problem> {
        let call = self.call;
        let work = move |session: &mut dyn Session| {
            let text = read::to_string(&work(session)?).map_err(Ended::Unwritable)?;
            Ok((text.clone(), StoredAnswer::Text(text)))
        };
        match self.run(work).await? {
            Outcome::Done(text) => Ok(call.reply(text)),
            Outcome::Repeated(StoredAnswer::Text(text)) => Ok(replayed(call.reply(text))),
            Outcome::Repeated(other) => Err(Problem::internal(format!(
                "the answer to a write of many records was stored as {other:?}"
            ))),
        }
    }

    /// Writes, and answers without a body.
    pub(crate) async fn nothing(
        self,
        work: impl Fn(&mut dyn Session) -> Result<(), Refusal> + Send + 'static,
    ) -> Result<Response, Problem> {
        let call = self.call;
        let work = move |session: &mut dyn Session| {
            work(session)?;
            Ok(((), StoredAnswer::Nothing))
        };
        match self.run(work).await? {
            Outcome::Done(()) => Ok(call.reply_empty()),
            Outcome::Repeated(_) => Ok(replayed(call.reply_empty())),
        }
    }

    async fn run<T: Send + 'static>(
        self,
        work: impl Fn(&mut dyn Session) -> Result<(T, StoredAnswer), Ended> + Send + 'static,
    ) -> Result<Outcome<T>, Problem> {
        let Self {
            call,
            repeatable,
            condition,
            present,
            ..
        } = self;
        let checked = move |session: &mut dyn Session| {
            if let Some(condition) = &condition {
                hold(condition, present.as_deref(), session)?;
            }
            work(session)
        };
        let written = call.app.store.write(move |session| match &repeatable {
            Some(repeatable) => repeatable.once(session, &checked),
            None => checked(session).map(|(answer, _)| answer),
        });
        match written.await {
            Ok(answer) => Ok(Outcome::Done(answer)),
            Err(Ended::Answered(stored)) => Ok(Outcome::Repeated(stored)),
            Err(other) => Err(other.into()),
        }
    }
}

impl Repeatable {
    /// Does the work, unless the request was carried out before.
    ///
    /// On an engine in this process that is asked first, for the work need not be undone then. On one at the
    /// end of a wire it is asked after the work and prefetched before it, so that the question costs no wait
    /// of its own; work that turns out to have been done already is undone by the error, like any that is
    /// refused.
    fn once<T>(
        &self,
        session: &mut dyn Session,
        work: impl Fn(&mut dyn Session) -> Result<(T, StoredAnswer), Ended>,
    ) -> Result<T, Ended> {
        let (ordinal, worked) = if session.dialect() == Dialect::Sqlite {
            (self.admitted(session)?, work(session))
        } else {
            answers::announce(session, &self.key, self.now)?;
            let worked = work(session);
            if let Err(Ended::Refused(Refusal::Store(_))) = worked {
                // Nothing can be asked of a session that failed.
                return worked.map(|(answer, _)| answer);
            }
            (self.admitted(session)?, worked)
        };
        let (answer, stored) = worked?;
        let record = IdempotencyRecord {
            fingerprint: self.fingerprint.clone(),
            answer: stored,
        };
        answers::put(session, &self.key, &record, ordinal, self.now)?;
        Ok(answer)
    }

    /// Fails if something was carried out under the key, or if the client has as many keys as it may; the
    /// ordinal of the key otherwise.
    fn admitted(&self, session: &mut dyn Session) -> Result<i64, Ended> {
        match answers::find(session, &self.key, self.now)? {
            Some(earlier) if earlier.fingerprint == self.fingerprint => {
                return Err(Ended::Answered(earlier.answer));
            }
            Some(_) => return Err(Ended::OtherRequest),
            None => {}
        }
        let keys = answers::count(session, &self.key)?;
        if keys.at_most >= self.quota
            && let Some((oldest, used_at)) = answers::oldest(session, &self.key, self.now)?
            && keys.next - oldest >= self.quota
        {
            let wait = used_at.saturating_add(RETENTION_TICKS) - self.now;
            return Err(Ended::OverQuota((wait - 1) / TICKS_PER_SECOND + 1));
        }
        Ok(keys.next)
    }
}

/// Fails unless the condition names the record as it is.
fn hold(
    condition: &Condition,
    present: Option<&Present>,
    session: &mut dyn Session,
) -> Result<(), Ended> {
    match (present, condition) {
        (Some(present), condition) => {
            let tag = present(session)?;
            if condition.names(&tag) {
                Ok(())
            } else {
                Err(Ended::Changed(tag))
            }
        }
        (None, Condition::Any) => Ok(()),
        (None, Condition::Tags(_)) => Err(Ended::Untagged),
    }
}

/// 200 with a record, as much of it as the caller is shown.
fn reply(call: &Call, view: &View, record: Record, attempt: Attempt) -> Result<Response, Problem> {
    let (json, tag) = view.answer(record, attempt).map_err(Problem::internal)?;
    let mut response = call.reply(json);
    response.headers_mut().insert(ETAG, tag.header());
    Ok(response)
}

/// Marks an answer to a request that was carried out before.
fn replayed(mut response: Response) -> Response {
    let (name, value) = idempotency::replayed();
    response.headers_mut().insert(name, value);
    response
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Ended::Refused(error.into())
    }
}

impl From<Refusal> for Ended {
    fn from(refusal: Refusal) -> Self {
        Ended::Refused(refusal)
    }
}

impl From<Ended> for Problem {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Refused(refusal) => refusal.into(),
            Ended::Changed(tag) => {
                let tag = tag.header();
                let mut detail =
                    "The record has changed since: If-Match does not name it as it is now"
                        .to_owned();
                if let Ok(tag) = tag.to_str() {
                    // Writing to a string cannot fail.
                    let _ = write!(detail, ", {tag}");
                }
                detail.push_str(". Nothing was changed; read it again.");
                precondition_failed(detail).header(ETAG, tag)
            }
            Ended::Untagged => precondition_failed(
                "If-Match names tags, and what is written here has none. Nothing was changed.",
            ),
            // Answered before it comes to this.
            Ended::Answered(_) => Problem::internal("a repeated request was taken for a problem"),
            Ended::OtherRequest => Problem::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "idempotency.mismatch",
                "Key of another request",
                "This Idempotency-Key was sent with another request during the last 24 hours: its path, query or body differ. Nothing was changed.",
            ),
            Ended::OverQuota(seconds) => Problem::new(
                StatusCode::TOO_MANY_REQUESTS,
                "idempotency.quota",
                "Too many keys",
                "This client has used as many Idempotency-Keys during the last 24 hours as it may. Nothing was changed. Without a key the request is taken.",
            )
            .header(RETRY_AFTER, HeaderValue::from(seconds)),
            Ended::Unwritable(error) => Problem::internal(error),
        }
    }
}

fn precondition_failed(detail: impl Into<String>) -> Problem {
    Problem::new(
        StatusCode::PRECONDITION_FAILED,
        "precondition.failed",
        "Precondition failed",
        detail,
    )
}
