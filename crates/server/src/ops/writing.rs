//! The one way in which a handler writes: the work runs in the store's writer, and around it, in the same transaction, whatever belongs to every write.
//!
//! - `If-Match`: the record as it is now must have one of the tags; else 412 `precondition.failed`, and nothing is changed.
//! - `Idempotency-Key`: the answer is kept with the change for a day. The same request under the same key gets it again and changes nothing; another request
//!   under it is 422 `idempotency.mismatch`. What is refused is not kept: it changed nothing, and may be mended and sent again.
//! - `ETag`: an answer that is one record says which state of it is meant.
//!
//! No rules of a resource here, and no SQL.

use std::fmt::Write as _;

use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use http::header::ETAG;
use serde::Serialize;

use crate::http::call::Call;
use crate::http::etag::{Condition, Tag};
use crate::http::idempotency;
use crate::http::problem::Problem;
use crate::store::answers::{self, Kept, Key};
use crate::store::refusal::Refusal;
use crate::store::{Dialect, Session, StoreError};

/// A write that a request asks for, before its work is known.
pub(crate) struct Writing<'c> {
    call: &'c Call,
    repeatable: Option<Repeatable>,
    condition: Option<Condition>,
    present: Option<Box<Present>>,
}

/// The record that a condition is about, as the bytes that its own GET answers with.
type Present = dyn Fn(&mut dyn Session) -> Result<String, Ended> + Send;

/// A request that may be sent again.
struct Repeatable {
    key: Key,
    fingerprint: String,
    now: i64,
}

/// Why a write ended without a change.
enum Ended {
    Refused(Refusal),
    /// The record has this tag and not one of those named.
    Changed(Tag),
    /// Tags were named where nothing has one.
    Untagged,
    /// It was answered before, with this.
    Answered(Option<String>),
    /// The key belongs to another request.
    OtherRequest,
    /// An answer that is no JSON.
    Unwritable(serde_json::Error),
}

/// What an answer is, besides its bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Record,
    Other,
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
            now: call.now(),
        }),
        _ => None,
    };
    Ok(Writing {
        call,
        repeatable,
        condition,
        present: None,
    })
}

impl Writing<'_> {
    /// What `If-Match` is compared with: the record as its GET would answer now, or the refusal of a record that is not there.
    pub(crate) fn against<R: Serialize>(
        mut self,
        record: impl Fn(&mut dyn Session) -> Result<R, Refusal> + Send + 'static,
    ) -> Self {
        if self.condition.is_some() {
            self.present = Some(Box::new(move |session| text(&record(session)?)));
        }
        self
    }

    /// Writes, and answers with one record.
    pub(crate) async fn record<R: Serialize>(
        self,
        work: impl Fn(&mut dyn Session) -> Result<R, Refusal> + Send + 'static,
    ) -> Result<Response, Problem> {
        let work = move |session: &mut dyn Session| text(&work(session)?).map(Some);
        self.run(Form::Record, work).await
    }

    /// Writes, and answers with JSON that is no record, such as how many there were.
    pub(crate) async fn figures<R: Serialize>(
        self,
        work: impl Fn(&mut dyn Session) -> Result<R, Refusal> + Send + 'static,
    ) -> Result<Response, Problem> {
        let work = move |session: &mut dyn Session| text(&work(session)?).map(Some);
        self.run(Form::Other, work).await
    }

    /// Writes, and answers without a body.
    pub(crate) async fn nothing(
        self,
        work: impl Fn(&mut dyn Session) -> Result<(), Refusal> + Send + 'static,
    ) -> Result<Response, Problem> {
        let work = move |session: &mut dyn Session| Ok(work(session).map(|()| None)?);
        self.run(Form::Other, work).await
    }

    async fn run(
        self,
        form: Form,
        work: impl Fn(&mut dyn Session) -> Result<Option<String>, Ended> + Send + 'static,
    ) -> Result<Response, Problem> {
        let Self {
            call,
            repeatable,
            condition,
            present,
        } = self;
        let checked = move |session: &mut dyn Session| {
            if let Some(condition) = &condition {
                hold(condition, present.as_deref(), session)?;
            }
            work(session)
        };
        let written = call.app.store.write(move |session| match &repeatable {
            Some(repeatable) => repeatable.once(session, &checked),
            None => checked(session),
        });
        match written.await {
            Ok(body) => Ok(reply(call, form, body)),
            Err(Ended::Answered(body)) => {
                let mut response = reply(call, form, body);
                let (name, value) = idempotency::replayed();
                response.headers_mut().insert(name, value);
                Ok(response)
            }
            Err(other) => Err(other.into()),
        }
    }
}

impl Repeatable {
    /// Does the work, unless the request was answered before.
    ///
    /// On an engine in this process that is asked first, for the work need not be undone then. On one at the end of a wire it is asked after the work and
    /// announced before it, so that the question costs no wait of its own; work that turns out to have been done already is undone by the error, like any that
    /// is refused.
    fn once(
        &self,
        session: &mut dyn Session,
        work: impl Fn(&mut dyn Session) -> Result<Option<String>, Ended>,
    ) -> Result<Option<String>, Ended> {
        let body = if session.dialect() == Dialect::Sqlite {
            self.unanswered(session)?;
            work(session)?
        } else {
            answers::announce(session, &self.key, self.now)?;
            let worked = work(session);
            if let Err(Ended::Refused(Refusal::Store(_))) = worked {
                // Nothing can be asked of a session that failed.
                return worked;
            }
            self.unanswered(session)?;
            worked?
        };
        let kept = Kept {
            fingerprint: self.fingerprint.clone(),
            body,
        };
        answers::keep(session, &self.key, &kept, self.now)?;
        Ok(kept.body)
    }

    /// Fails if something was answered under the key.
    fn unanswered(&self, session: &mut dyn Session) -> Result<(), Ended> {
        match answers::find(session, &self.key, self.now)? {
            None => Ok(()),
            Some(kept) if kept.fingerprint == self.fingerprint => Err(Ended::Answered(kept.body)),
            Some(_) => Err(Ended::OtherRequest),
        }
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
            let tag = Tag::of(present(session)?.as_bytes());
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

fn text<R: Serialize>(answer: &R) -> Result<String, Ended> {
    serde_json::to_string(answer).map_err(Ended::Unwritable)
}

fn reply(call: &Call, form: Form, body: Option<String>) -> Response {
    let Some(body) = body else {
        return call.reply_empty();
    };
    let tag = (form == Form::Record).then(|| Tag::of(body.as_bytes()));
    let mut response = call.reply(body);
    if let Some(tag) = tag {
        response.headers_mut().insert(ETAG, tag.header());
    }
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
            // Answered with what was kept, before it comes to this.
            Ended::Answered(_) => Problem::internal("a kept answer was taken for a problem"),
            Ended::OtherRequest => Problem::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "idempotency.mismatch",
                "Key of another request",
                "This Idempotency-Key was sent with another request during the last 24 hours: its path, query or body differ. Nothing was changed.",
            ),
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
