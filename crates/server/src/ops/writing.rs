//! Writes: decode → decide → commit → send, after the router has authorised the request.
//!
//! [`write()`] shows the stages. The work runs in the store's writer. The same transaction includes what is
//! common to all writes:
//!
//! - `If-Match`: the current record must have one of the tags; otherwise 412 `precondition.failed`, and
//!   nothing is changed.
//! - `Idempotency-Key`: a record that the request was carried out is stored with the change for a day. A
//!   repeated request with the same key changes nothing and is answered with the current record; another
//!   request with it is 422 `idempotency.mismatch`. A refused request is not stored: it changed nothing, and
//!   may be corrected and sent again. A client that has used too many keys gets 429 `idempotency.quota`.
//! - `ETag`: an answer that is one record has the tag of its state. `Location`: a record that was created by
//!   a POST is below the address it was posted to, unless it has another.
//! - A client that is restricted by grants changes only records that it is granted, before and after the
//!   change (`gate.rs`).
//! - A client that may not read the record sees only what its request set (`view.rs`).
//! - The audit log: a write that changed something appends an entry. A repeated request and a refused one
//!   append none.
//!
//! This module has no rules of a resource and no SQL.

use std::sync::Arc;

use http::header::{ETAG, LOCATION};
use serde::{Deserialize, Serialize};

use super::call::Call;
use super::decoding::{Decode, Decoded, Preconditions};
use super::gate::{self, Gate};
use super::view::{Attempt, Metadata, View, WrittenRecord};
use crate::http::body::Response;
use crate::http::etag::Condition;
use crate::http::idempotency;
use crate::http::problem::Problem;
use obeya_store::audit::{self, Change};
use obeya_store::grants::Grants;
use obeya_store::idempotency_records::{
    self, IdempotencyKey, IdempotencyRecord, RETENTION_TICKS, StoredAnswer,
};
use obeya_store::write_error::WriteError;
use obeya_store::{RecordId, Session, StoreError};

/// Ticks of 100 ns in a second.
const TICKS_PER_SECOND: i64 = 10_000_000;

/// The stages of a write. The router has authorised the request before: otherwise there is no call.
pub(super) async fn write<D: Decode>(
    mut call: Call,
    body: D,
    decide: impl FnOnce(D::Body, &mut WriteContext) -> Result<Decision, WriteError>,
) -> Result<Response, Problem> {
    // Read the body and the conditions of the write; refuse malformed ones.
    let Decoded {
        body,
        preconditions,
    } = body.decode(&mut call).await?;
    // Apply the rules that need no record.
    let mut context = WriteContext {
        now: call.now(),
        view: View::of(&call),
        gate: Gate::of(&call),
    };
    let decision = decide(body, &mut context)?;
    // In one transaction: check the conditions, apply the rules that need records, make the change and its
    // answer.
    // Boxed: its future is large, and would be part of that of every request.
    let committed = Box::pin(commit(&call, preconditions, decision, &context)).await?;
    // Show the client its part of the answer.
    send(&call, &context, committed)
}

/// The input of a decision besides the body.
pub(super) struct WriteContext {
    /// The current time, in ticks.
    pub(super) now: i64,
    view: View,
    gate: Gate,
}

impl WriteContext {
    /// The records to which the client may refer.
    pub(super) fn grants(&self) -> Arc<Grants> {
        Arc::clone(self.gate.grants())
    }

    /// Sets the properties that the request sets, as an object. A client that may not read the record sees no
    /// other properties that may be empty.
    pub(super) fn sets(&mut self, body: &impl Serialize) -> Result<(), WriteError> {
        Ok(self.view.show_written(body)?)
    }
}

/// A write whose checks without stored records are done.
pub(super) struct Decision {
    work: Box<Work>,
    kind: AnswerKind,
    present: Option<Box<ReadCurrent>>,
}

/// What a write did: the change for the audit log, and how its answer is read.
pub(super) struct Written<T> {
    /// `None` if nothing changed.
    change: Option<Change>,
    /// Runs after the entry of the change was appended: over a network, the write then waits for both at
    /// once.
    answer: Box<ReadAnswer<T>>,
}

/// Reads the answer to a write.
type ReadAnswer<T> = dyn FnOnce(&mut dyn Session) -> Result<T, WriteError>;

impl<T: 'static> Written<T> {
    /// A write that changed something.
    pub(super) fn changed(
        change: Change,
        answer: impl FnOnce(&mut dyn Session) -> Result<T, WriteError> + 'static,
    ) -> Self {
        Self {
            change: Some(change),
            answer: Box::new(answer),
        }
    }

    /// A write after which everything is as it was.
    pub(super) fn unchanged(
        answer: impl FnOnce(&mut dyn Session) -> Result<T, WriteError> + 'static,
    ) -> Self {
        Self {
            change: None,
            answer: Box::new(answer),
        }
    }

    fn map<U>(self, map: impl FnOnce(T) -> Result<U, WriteError> + 'static) -> Written<U> {
        Written {
            change: self.change,
            answer: Box::new(move |session| map((self.answer)(session)?)),
        }
    }
}

/// Makes the change. May run more than once.
type Work = dyn Fn(&mut dyn Session) -> Result<Written<Answer>, WriteError> + Send;
/// Reads the record to which a condition applies.
type ReadCurrent = dyn Fn(&mut dyn Session) -> Result<WrittenRecord, WriteError> + Send;
/// Reads the record of an earlier answer, by its id.
type ReadById = dyn FnOnce(&mut dyn Session, RecordId) -> Result<WrittenRecord, WriteError> + Send;

/// The kind of answer to a write.
enum AnswerKind {
    /// A record, which is read again for a repeated request.
    Record(Box<ReadById>),
    /// JSON without content of any record.
    Summary,
    /// No body.
    Empty,
}

/// An answer, made in the transaction.
enum Answer {
    Record(WrittenRecord),
    Summary(String),
    Empty,
}

/// A write that was carried out, now or earlier.
struct Committed {
    answer: Answer,
    attempt: Attempt,
}

impl Decision {
    /// Answers with one record; `current` reads it again by its id for a repeated request.
    pub(super) fn record<I: TryFrom<RecordId, Error = StoreError>>(
        current: impl FnOnce(&mut dyn Session, I) -> Result<WrittenRecord, WriteError> + Send + 'static,
        work: impl Fn(&mut dyn Session) -> Result<Written<WrittenRecord>, WriteError> + Send + 'static,
    ) -> Self {
        Self {
            work: Box::new(move |session| {
                Ok(work(session)?.map(|record| Ok(Answer::Record(record))))
            }),
            kind: AnswerKind::Record(Box::new(move |session, id| {
                current(session, id.try_into()?)
            })),
            present: None,
        }
    }

    /// Answers with JSON without content of any record, such as a count.
    pub(super) fn summary<R: Serialize + 'static>(
        work: impl Fn(&mut dyn Session) -> Result<Written<R>, WriteError> + Send + 'static,
    ) -> Self {
        Self {
            work: Box::new(move |session| {
                let written = work(session)?;
                Ok(written.map(|summary| Ok(Answer::Summary(obeya_read::to_string(&summary)?))))
            }),
            kind: AnswerKind::Summary,
            present: None,
        }
    }

    /// Answers without a body. `work` returns the change, or none if everything is as it was.
    pub(super) fn empty<C: Into<Option<Change>>>(
        work: impl Fn(&mut dyn Session) -> Result<C, WriteError> + Send + 'static,
    ) -> Self {
        Self {
            work: Box::new(move |session| {
                Ok(Written {
                    change: work(session)?.into(),
                    answer: Box::new(|_| Ok(Answer::Empty)),
                })
            }),
            kind: AnswerKind::Empty,
            present: None,
        }
    }

    /// Reads the record with which `If-Match` is compared, or fails if there is none.
    pub(super) fn against(
        mut self,
        record: impl Fn(&mut dyn Session) -> Result<WrittenRecord, WriteError> + Send + 'static,
    ) -> Self {
        self.present = Some(Box::new(record));
        self
    }
}

/// Carries out a write, unless it was carried out before.
async fn commit(
    call: &Call,
    preconditions: Preconditions,
    decision: Decision,
    context: &WriteContext,
) -> Result<Committed, Problem> {
    let Preconditions {
        condition,
        idempotency,
    } = preconditions;
    let Decision {
        work,
        kind,
        present,
    } = decision;
    let idempotent = idempotency.map(|(key, fingerprint)| IdempotentRequest {
        key: IdempotencyKey {
            client_id: call.caller.client_id.to_string(),
            operation: call.operation.id(),
            key,
        },
        fingerprint,
        quota: call.app.config.limits.idempotency_keys.into(),
        now: context.now,
    });
    let condition = condition.map(|condition| Precondition {
        condition,
        present,
        view: context.view.clone(),
    });
    let (origin, operation, now) = (call.origin(), call.operation.id(), context.now);
    let (gate, body_memory) = (context.gate.clone(), call.body_memory());
    let checked = move |session: &mut dyn Session| {
        // The work waits for the writer even if the client is gone, and has the values of the body.
        let _counted = &body_memory;
        gate.check(session, WriteError::Missing)?;
        if let Some(condition) = &condition {
            condition.check(session)?;
        }
        let Written { change, answer } = work(session)?;
        if let Some(change) = &change {
            audit::append(session, now, &origin, operation, change)?;
        }
        let answer = answer(session)?;
        if let Answer::Record(record) = &answer
            && !record.is_deleted
            && !gate
                .grants()
                .show(session, record.entity, record.id.clone())?
        {
            return Err(WriteError::NotGranted);
        }
        Ok(answer)
    };
    // The key may be checked after the change, and the grants are.
    let is_checked_late = idempotent.is_some() || context.gate.is_restricted();
    let once = move |session: &mut dyn Session| match &idempotent {
        Some(idempotent) => idempotent.execute_once(session, &checked),
        None => checked(session),
    };
    let store = &call.app.store;
    let written = match is_checked_late {
        true => store.write_checked_late(once).await,
        false => store.write(once).await,
    };
    match written {
        Ok(answer) => Ok(Committed {
            answer,
            attempt: Attempt::First,
        }),
        Err(WriteError::Repeated(stored)) => replay(call, context.gate.clone(), kind, stored).await,
        Err(error) => Err(error.into()),
    }
}

/// The current answer to a request that was carried out before.
async fn replay(
    call: &Call,
    gate: Gate,
    kind: AnswerKind,
    stored: StoredAnswer,
) -> Result<Committed, Problem> {
    let replayed = |error: WriteError| {
        let (name, value) = idempotency::replayed();
        Problem::from(error).header(name, value)
    };
    let answer = match (kind, stored) {
        (AnswerKind::Record(current), stored) => {
            let id = stored_id(stored)?;
            let current = move |session: &mut dyn Session| {
                gate.check(session, WriteError::Missing)?;
                let record = current(session, id.clone())?;
                // It may have changed since, or the grants.
                match gate.grants().show(session, record.entity, id.clone())? {
                    true => Ok(record),
                    false => Err(WriteError::Missing(gate::noun(record.entity), id)),
                }
            };
            Answer::Record(call.store().read(current).await.map_err(replayed)?)
        }
        (AnswerKind::Summary, StoredAnswer::Text(text)) => {
            if gate.is_restricted() {
                let check =
                    move |session: &mut dyn Session| gate.check(session, WriteError::Missing);
                call.store().look_up(check).await.map_err(replayed)?;
            }
            Answer::Summary(text)
        }
        (AnswerKind::Summary, other) => {
            return Err(Problem::internal(format!(
                "the answer to a write of many records was stored as {other:?}"
            )));
        }
        (AnswerKind::Empty, _) => Answer::Empty,
    };
    Ok(Committed {
        answer,
        attempt: Attempt::Repeated,
    })
}

/// The id that every record has.
#[derive(Deserialize)]
struct Identified {
    id: i32,
}

/// The id of the record in an earlier answer.
fn stored_id(stored: StoredAnswer) -> Result<RecordId, Problem> {
    match stored {
        StoredAnswer::Record(id) => Ok(id),
        // An older version of the program over the same database stores the whole record.
        StoredAnswer::Text(text) => serde_json::from_str(&text)
            .map(|Identified { id }| id.into())
            .map_err(Problem::internal),
        StoredAnswer::Nothing => Err(Problem::internal(
            "a write of a record was answered with nothing",
        )),
    }
}

/// The response of a write: 200, with the part of the record that the client may see.
fn send(call: &Call, context: &WriteContext, committed: Committed) -> Result<Response, Problem> {
    let Committed { answer, attempt } = committed;
    // Never refused for lack of memory: that would promise that nothing was changed.
    let counted = |answer| call.answer_memory().of_committed(answer);
    let replied = match answer {
        Answer::Record(record) => {
            let id = record.id.clone();
            let is_created =
                call.operation.method() == "POST" && !context.gate.is_addressed(record.entity, &id);
            let (name, collection, suffix) =
                (record.name.clone(), record.collection, record.suffix);
            let metadata = match call.wants_context() {
                true => Metadata::Minimal,
                false => Metadata::None,
            };
            context
                .view
                .answer(record, attempt, metadata)
                .map(|(json, tag)| {
                    let mut response = call.reply(counted(json));
                    let headers = response.headers_mut();
                    headers.insert(ETAG, tag.header());
                    if is_created {
                        let name = name.unwrap_or(id.to_string());
                        let address = match collection {
                            Some(collection) => call.address_in(collection, &name, suffix),
                            None => call.address_below(&name, suffix),
                        };
                        headers.extend(address.map(|address| (LOCATION, address)));
                    }
                    response
                })
                .map_err(Problem::internal)
        }
        Answer::Summary(text) => Ok(call.reply(counted(text.into_bytes()))),
        Answer::Empty => Ok(call.reply_empty()),
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

/// A request with an idempotency key.
struct IdempotentRequest {
    key: IdempotencyKey,
    fingerprint: String,
    /// The most keys that the client may have.
    quota: i64,
    now: i64,
}

impl IdempotentRequest {
    /// Does the work, unless the request was carried out before.
    ///
    /// On an embedded engine the key is checked first, so that the work need not be undone. Over a network it
    /// is prefetched before the work and checked after it, so that it costs no wait of its own; if the
    /// request was carried out before, the error undoes the work, as for any refused request.
    fn execute_once(
        &self,
        session: &mut dyn Session,
        work: impl Fn(&mut dyn Session) -> Result<Answer, WriteError>,
    ) -> Result<Answer, WriteError> {
        let (ordinal, worked) = if session.capabilities().has_round_trips() {
            idempotency_records::prefetch(session, &self.key, self.now)?;
            let worked = work(session);
            if let Err(WriteError::Store(_)) = worked {
                // No statement can run on a session that failed.
                return worked;
            }
            (self.admit(session)?, worked)
        } else {
            (self.admit(session)?, work(session))
        };
        let answer = worked?;
        let record = IdempotencyRecord {
            fingerprint: self.fingerprint.clone(),
            answer: answer.stored(),
        };
        idempotency_records::put(session, &self.key, &record, ordinal, self.now)?;
        Ok(answer)
    }

    /// Checks that no request was carried out with the key and that the client is within its quota; returns
    /// the ordinal of the key.
    fn admit(&self, session: &mut dyn Session) -> Result<i64, WriteError> {
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

/// `If-Match`, and the record to which it applies.
struct Precondition {
    condition: Condition,
    present: Option<Box<ReadCurrent>>,
    view: View,
}

impl Precondition {
    /// Fails unless the condition has the tag of the current record.
    fn check(&self, session: &mut dyn Session) -> Result<(), WriteError> {
        match (&self.present, &self.condition) {
            (Some(present), condition) => {
                let tags = self.view.tags(&present(session)?)?;
                match tags.iter().any(|tag| condition.names(tag)) {
                    true => Ok(()),
                    false => Err(WriteError::Changed(tags[0].text())),
                }
            }
            (None, Condition::Any) => Ok(()),
            (None, Condition::Tags(_)) => Err(WriteError::Untagged),
        }
    }
}

impl Answer {
    /// The part that is stored for a repeated request.
    fn stored(&self) -> StoredAnswer {
        match self {
            Self::Record(record) => StoredAnswer::Record(record.id.clone()),
            Self::Summary(text) => StoredAnswer::Text(text.clone()),
            Self::Empty => StoredAnswer::Nothing,
        }
    }
}
