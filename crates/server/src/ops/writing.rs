//! The one way in which a handler writes: decode → decide → commit → send, once the router has authorised it.
//!
//! [`write()`] shows the stages. The work runs in the store's writer, and around it, in the same transaction,
//! whatever belongs to every write:
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

use http::header::ETAG;
use serde::{Deserialize, Serialize};

use super::call::Call;
use super::decoding::{Decode, Decoded, Terms};
use super::view::{Attempt, Record, View};
use crate::app::App;
use crate::http::body::Response;
use crate::http::etag::Condition;
use crate::http::idempotency;
use crate::http::problem::Problem;
use obeya_store::Session;
use obeya_store::idempotency_records::{
    self, IdempotencyKey, IdempotencyRecord, RETENTION_TICKS, StoredAnswer,
};
use obeya_store::write_error::WriteError;

/// Ticks of 100 ns in a second.
const TICKS_PER_SECOND: i64 = 10_000_000;

/// The stages of a write. That its caller may write was decided before (`router.rs`): without that there is
/// no call.
pub(super) async fn write<D: Decode>(
    mut call: Call,
    body: D,
    decide: impl FnOnce(D::Body, &mut Deciding) -> Result<Decision, WriteError>,
) -> Result<Response, Problem> {
    // The body, and under which terms: what has not its form is refused here.
    let Decoded { body, terms } = body.decode(&mut call).await?;
    // The rules that need no record.
    let mut deciding = Deciding {
        now: call.now(),
        view: View::of(&call),
    };
    let decision = decide(body, &mut deciding)?;
    // One transaction: the terms, the rules that look at records, the change and its answer.
    let committed = commit(&call, terms, decision, &deciding).await?;
    // What of it the caller is shown.
    send(&call, &deciding.view, committed)
}

/// What a write is decided with, besides its body.
pub(super) struct Deciding {
    /// Now, in ticks.
    pub(super) now: i64,
    view: View,
}

impl Deciding {
    /// Says what the request sets: an object with properties of the record. It is all that a caller who may
    /// not read the record is shown of what may be empty.
    pub(super) fn sets(&mut self, body: &impl Serialize) -> Result<(), WriteError> {
        Ok(self.view.show_written(body)?)
    }
}

/// A write that is decided but for what depends on stored records.
pub(super) struct Decision {
    work: Box<Work>,
    kind: Kind,
    present: Option<Box<Present>>,
}

/// Changes what is to be changed. May run more than once.
type Work = dyn Fn(&mut dyn Session) -> Result<Answer, WriteError> + Send;
/// Gives the record that a condition is about, as it is.
type Present = dyn Fn(&mut dyn Session) -> Result<Record, WriteError> + Send;
/// Gives the record that was answered with, by its id.
type Current = dyn FnOnce(&mut dyn Session, i32) -> Result<Record, WriteError> + Send;

/// What a write is answered with.
enum Kind {
    /// A record, which is found again for a request that is repeated.
    Record(Box<Current>),
    /// JSON that tells nothing of any record.
    Figures,
    /// No body.
    Nothing,
}

/// An answer, made in the transaction.
enum Answer {
    Record(Record),
    Figures(String),
    Nothing,
}

/// A write that was carried out, now or before.
struct Committed {
    answer: Answer,
    attempt: Attempt,
}

impl Decision {
    /// Answers with one record; `current` finds it again by its id, for a request that is repeated.
    pub(super) fn record(
        current: impl FnOnce(&mut dyn Session, i32) -> Result<Record, WriteError> + Send + 'static,
        work: impl Fn(&mut dyn Session) -> Result<Record, WriteError> + Send + 'static,
    ) -> Self {
        Self {
            work: Box::new(move |session| Ok(Answer::Record(work(session)?))),
            kind: Kind::Record(Box::new(current)),
            present: None,
        }
    }

    /// Answers with JSON that tells nothing of any record, such as how many there were.
    pub(super) fn figures<R: Serialize>(
        work: impl Fn(&mut dyn Session) -> Result<R, WriteError> + Send + 'static,
    ) -> Self {
        Self {
            work: Box::new(move |session| {
                Ok(Answer::Figures(obeya_read::to_string(&work(session)?)?))
            }),
            kind: Kind::Figures,
            present: None,
        }
    }

    /// Answers without a body.
    pub(super) fn nothing(
        work: impl Fn(&mut dyn Session) -> Result<(), WriteError> + Send + 'static,
    ) -> Self {
        Self {
            work: Box::new(move |session| work(session).map(|()| Answer::Nothing)),
            kind: Kind::Nothing,
            present: None,
        }
    }

    /// What `If-Match` is compared with: the record as it is now, or the error that it is not there.
    pub(super) fn against(
        mut self,
        record: impl Fn(&mut dyn Session) -> Result<Record, WriteError> + Send + 'static,
    ) -> Self {
        self.present = Some(Box::new(record));
        self
    }
}

/// Carries a write out, unless it was carried out before.
async fn commit(
    call: &Call,
    terms: Terms,
    decision: Decision,
    deciding: &Deciding,
) -> Result<Committed, Problem> {
    let Terms {
        condition,
        idempotency,
    } = terms;
    let Decision {
        work,
        kind,
        present,
    } = decision;
    let repeatable = idempotency.map(|(key, fingerprint)| Repeatable {
        key: IdempotencyKey {
            client_id: call.caller.client_id.clone(),
            operation: call.operation.id(),
            key,
        },
        fingerprint,
        quota: call.app.config.limits.idempotency_keys.into(),
        now: deciding.now,
    });
    let condition = condition.map(|condition| Precondition {
        condition,
        present,
        view: deciding.view.clone(),
    });
    let checked = move |session: &mut dyn Session| {
        if let Some(condition) = &condition {
            condition.hold(session)?;
        }
        work(session)
    };
    let written = call.app.store.write(move |session| match &repeatable {
        Some(repeatable) => repeatable.once(session, &checked),
        None => checked(session),
    });
    match written.await {
        Ok(answer) => Ok(Committed {
            answer,
            attempt: Attempt::First,
        }),
        Err(WriteError::Repeated(stored)) => repeated(&call.app, kind, stored).await,
        Err(error) => Err(error.into()),
    }
}

/// What a request that was carried out before is answered with now.
async fn repeated(app: &App, kind: Kind, stored: StoredAnswer) -> Result<Committed, Problem> {
    let answer = match (kind, stored) {
        (Kind::Record(current), stored) => {
            let id = stored_id(stored)?;
            let found = app.store.read(move |session| current(session, id)).await;
            let (name, value) = idempotency::replayed();
            Answer::Record(found.map_err(|error| Problem::from(error).header(name, value))?)
        }
        (Kind::Figures, StoredAnswer::Text(text)) => Answer::Figures(text),
        (Kind::Figures, other) => {
            return Err(Problem::internal(format!(
                "the answer to a write of many records was stored as {other:?}"
            )));
        }
        (Kind::Nothing, _) => Answer::Nothing,
    };
    Ok(Committed {
        answer,
        attempt: Attempt::Repeated,
    })
}

/// What every record has.
#[derive(Deserialize)]
struct Identified {
    id: i32,
}

/// The id of the record that was answered with.
fn stored_id(stored: StoredAnswer) -> Result<i32, Problem> {
    match stored {
        StoredAnswer::Record(id) => Ok(id),
        // An older program beside this one, over the same database, stores the record that it answered with.
        StoredAnswer::Text(text) => serde_json::from_str(&text)
            .map(|Identified { id }| id)
            .map_err(Problem::internal),
        StoredAnswer::Nothing => Err(Problem::internal(
            "a write of a record was answered with nothing",
        )),
    }
}

/// The response of a write: 200, with as much of a record as the caller is shown.
fn send(call: &Call, view: &View, committed: Committed) -> Result<Response, Problem> {
    let Committed { answer, attempt } = committed;
    let replied = match answer {
        Answer::Record(record) => view
            .answer(record, attempt)
            .map(|(json, tag)| {
                let mut response = call.reply(json);
                response.headers_mut().insert(ETAG, tag.header());
                response
            })
            .map_err(Problem::internal),
        Answer::Figures(text) => Ok(call.reply(text)),
        Answer::Nothing => Ok(call.reply_empty()),
    };
    if attempt == Attempt::First {
        return replied;
    }
    let (name, value) = idempotency::replayed();
    match replied {
        Ok(mut response) => {
            response.headers_mut().insert(name, value);
            Ok(response)
        }
        Err(problem) => Err(problem.header(name, value)),
    }
}

/// A request that may be sent again.
struct Repeatable {
    key: IdempotencyKey,
    fingerprint: String,
    /// Most keys that the client may have.
    quota: i64,
    now: i64,
}

impl Repeatable {
    /// Does the work, unless the request was carried out before.
    ///
    /// On an engine in this process that is asked first, for the work need not be undone then. On one at the
    /// end of a wire it is asked after the work and prefetched before it, so that the question costs no wait
    /// of its own; work that turns out to have been done already is undone by the error, like any that is
    /// refused.
    fn once(
        &self,
        session: &mut dyn Session,
        work: impl Fn(&mut dyn Session) -> Result<Answer, WriteError>,
    ) -> Result<Answer, WriteError> {
        let (ordinal, worked) = if session.capabilities().has_round_trips() {
            idempotency_records::prefetch(session, &self.key, self.now)?;
            let worked = work(session);
            if let Err(WriteError::Store(_)) = worked {
                // Nothing can be asked of a session that failed.
                return worked;
            }
            (self.admitted(session)?, worked)
        } else {
            (self.admitted(session)?, work(session))
        };
        let answer = worked?;
        let record = IdempotencyRecord {
            fingerprint: self.fingerprint.clone(),
            answer: answer.stored(),
        };
        idempotency_records::put(session, &self.key, &record, ordinal, self.now)?;
        Ok(answer)
    }

    /// Fails if something was carried out under the key, or if the client has as many keys as it may; the
    /// ordinal of the key otherwise.
    fn admitted(&self, session: &mut dyn Session) -> Result<i64, WriteError> {
        match idempotency_records::find(session, &self.key, self.now)? {
            Some(earlier) if earlier.fingerprint == self.fingerprint => {
                return Err(WriteError::Repeated(earlier.answer));
            }
            Some(_) => return Err(WriteError::OtherRequest),
            None => {}
        }
        let keys = idempotency_records::count(session, &self.key)?;
        if keys.at_most >= self.quota
            && let Some((oldest, used_at)) =
                idempotency_records::oldest(session, &self.key, self.now)?
            && keys.next - oldest >= self.quota
        {
            let wait = used_at.saturating_add(RETENTION_TICKS) - self.now;
            return Err(WriteError::OverQuota((wait - 1) / TICKS_PER_SECOND + 1));
        }
        Ok(keys.next)
    }
}

/// `If-Match`, and what it is about.
struct Precondition {
    condition: Condition,
    present: Option<Box<Present>>,
    view: View,
}

impl Precondition {
    /// Fails unless the condition names the record as it is.
    fn hold(&self, session: &mut dyn Session) -> Result<(), WriteError> {
        match (&self.present, &self.condition) {
            (Some(present), condition) => {
                let tag = self.view.tag(&present(session)?)?;
                if condition.names(&tag) {
                    Ok(())
                } else {
                    Err(WriteError::Changed(tag.text()))
                }
            }
            (None, Condition::Any) => Ok(()),
            (None, Condition::Tags(_)) => Err(WriteError::Untagged),
        }
    }
}

impl Answer {
    /// What is kept of it for a request that is repeated.
    fn stored(&self) -> StoredAnswer {
        match self {
            Self::Record(record) => StoredAnswer::Record(record.id),
            Self::Figures(text) => StoredAnswer::Text(text.clone()),
            Self::Nothing => StoredAnswer::Nothing,
        }
    }
}
