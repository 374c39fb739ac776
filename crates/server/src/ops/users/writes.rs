//! Creating and updating users.

use std::sync::Arc;

use obeya_model::{UserCreateV1, UserCreateV2, UserPatch, UserUpdateV1, UserUpdateV2};
use serde::Serialize;

use super::body::{self, UserChange};
use super::{Answer, answer_v1, answer_v2, change, missing};
use crate::http::body::Response;
use crate::http::extract::query_parameter;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::never_null::NeverNull;
use crate::ops::view::WrittenRecord;
use crate::ops::writing::{self, Decision, WriteContext, Written};
use obeya_read::text::quoted;
use obeya_rules::error::DomainError;
use obeya_store::entities::USER;
use obeya_store::grants::Grants;
use obeya_store::random::uuid;
use obeya_store::tables::organisation::UserRow;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, stamp, users};

/// POST /v1/Users
pub(crate) async fn create_v1(call: Call) -> Result<Response, Problem> {
    let body = json::<NeverNull<UserCreateV1>>();
    writing::write(call, body, |NeverNull(body), context| {
        context.sets(&body)?;
        let change = body::of_create_v1(body)?;
        Ok(create_with(answer_v1, change, false, context))
    })
    .await
}

/// POST /v2/users
pub(crate) async fn create(call: Call) -> Result<Response, Problem> {
    let may_recover = allow_recovery(&call)?;
    writing::write(call, json::<UserCreateV2>(), |body, context| {
        context.sets(&body)?;
        let change = body::of_create_v2(body)?;
        Ok(create_with(answer_v2, change, may_recover, context))
    })
    .await
}

fn create_with(
    answer: Answer,
    change: UserChange,
    may_recover: bool,
    context: &WriteContext,
) -> Decision {
    let (now, grants) = (context.now, context.grants());
    Decision::record(answer, move |session| {
        // A new user is in no group. Nothing is said about names that such a client does not see.
        if grants.restrict(&USER) {
            return Err(WriteError::NotGranted);
        }
        insert(session, answer, change.clone(), may_recover, now)
    })
}

/// Adds a user, or restores the deleted one of that name.
fn insert(
    session: &mut dyn Session,
    answer: Answer,
    body: UserChange,
    may_recover: bool,
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    let name = body.user_name.clone().unwrap_or_default();
    let before = match users::named(session, &name)?.into_iter().next() {
        Some(user) if user.deleted_date.is_some() && may_recover => Some(user),
        Some(user) => return Err(taken(&user)),
        None => None,
    };
    // Nothing but the id of a restored user is as before: roles above all may be meant for somebody else.
    let after = UserRow {
        id: before
            .as_ref()
            .map_or_else(uuid, |deleted| deleted.id.clone()),
        ..UserRow::default()
    };
    let after = body.apply(after);
    put(session, before.as_ref(), &after, now)?;
    let id = after.id.clone();
    let change = change(before.as_ref(), Some(&after));
    Ok(Written::changed(change, move |session| answer(session, id)))
}

/// PUT /v1/Users/{userId}
pub(crate) async fn update_v1(call: Call) -> Result<Response, Problem> {
    let id = call.user_id()?;
    let body = json::<NeverNull<UserUpdateV1>>();
    writing::write(call, body, |NeverNull(body), context| {
        let change = decided(&body, context, body::of_update_v1)?;
        Ok(update_with(answer_v1, Named::Id(id), change, context.now))
    })
    .await
}

/// PUT /v1/Users/UpdateByUserName
pub(crate) async fn update_by_user_name(call: Call) -> Result<Response, Problem> {
    let name = query_parameter(call.query(), "userName")?;
    if name.as_ref().is_some_and(|name| name.contains('\0')) {
        let text = "expected text without NUL";
        return Err(Problem::invalid_query("userName", text));
    }
    let body = json::<NeverNull<UserUpdateV1>>();
    writing::write(call, body, |NeverNull(body), context| {
        let name = name.unwrap_or_else(|| body.user_name.clone());
        let change = decided(&body, context, body::of_update_v1)?;
        let named = Named::UserName(name, context.grants());
        Ok(update_with(answer_v1, named, change, context.now))
    })
    .await
}

/// PUT /v2/users/{userId}
pub(crate) async fn update(call: Call) -> Result<Response, Problem> {
    let id = call.user_id()?;
    writing::write(call, json::<UserUpdateV2>(), |body, context| {
        let change = decided(&body, context, body::of_update_v2)?;
        Ok(update_with(answer_v2, Named::Id(id), change, context.now))
    })
    .await
}

/// PATCH /v2/users/{userId}
pub(crate) async fn patch(call: Call) -> Result<Response, Problem> {
    let id = call.user_id()?;
    let body = json::<NeverNull<UserPatch>>();
    writing::write(call, body, |NeverNull(body), context| {
        let change = decided(&body, context, body::of_patch)?;
        Ok(update_with(answer_v2, Named::Id(id), change, context.now))
    })
    .await
}

/// The change of a body, whose properties the answer shows.
fn decided<B: Serialize + Clone>(
    body: &B,
    context: &mut WriteContext,
    change: fn(B) -> Result<UserChange, DomainError>,
) -> Result<UserChange, WriteError> {
    context.sets(body)?;
    Ok(change(body.clone())?)
}

/// What a request names a user by.
#[derive(Clone)]
enum Named {
    Id(String),
    /// The name, and what the client is restricted to.
    UserName(String, Arc<Grants>),
}

impl Named {
    /// The user, if it was not deleted.
    fn find(&self, session: &mut dyn Session) -> Result<UserRow, WriteError> {
        match self {
            Self::Id(id) => users::find(session, id)?.ok_or_else(|| missing(id)),
            Self::UserName(name, grants) => {
                let users = users::named(session, name)?;
                let live = users.into_iter().find(|user| user.deleted_date.is_none());
                let user = live.ok_or_else(|| missing(name))?;
                match grants.show(session, &USER, user.id.as_str())? {
                    true => Ok(user),
                    false => Err(missing(name)),
                }
            }
        }
    }
}

fn update_with(answer: Answer, named: Named, change: UserChange, now: i64) -> Decision {
    let present = named.clone();
    let work = move |session: &mut dyn Session| {
        let before = named.find(session)?;
        replace(session, answer, &before, change.clone(), now)
    };
    Decision::record(answer, work).against(move |session| {
        let user = present.find(session)?;
        answer(session, user.id)
    })
}

fn replace(
    session: &mut dyn Session,
    answer: Answer,
    before: &UserRow,
    body: UserChange,
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    let after = body.apply(before.clone());
    let id = after.id.clone();
    let answer = move |session: &mut dyn Session| answer(session, id);
    if after == *before {
        return Ok(Written::unchanged(answer));
    }
    if after.user_name.to_lowercase() != before.user_name.to_lowercase() {
        let others = users::named(session, &after.user_name)?;
        if let Some(other) = others.into_iter().find(|other| other.id != after.id) {
            return Err(taken(&other));
        }
    }
    put(session, Some(before), &after, now)?;
    Ok(Written::changed(change(Some(before), Some(&after)), answer))
}

/// Stores a user. Records that show a name that changed get a stamp, so that copies learn of it.
fn put(
    session: &mut dyn Session,
    before: Option<&UserRow>,
    after: &UserRow,
    now: i64,
) -> Result<(), WriteError> {
    users::put(session, after)?;
    let names = |user: &UserRow| [user.user_name.clone(), user.display_name.clone()];
    if before.is_some_and(|before| names(before) != names(after)) {
        let stamp = stamp::next(session, now, 0)?;
        users::stamp_records(session, &after.id, stamp)?;
    }
    Ok(())
}

fn taken(user: &UserRow) -> WriteError {
    let name = quoted(&user.user_name);
    let (code, detail) = match user.deleted_date {
        None => ("user.exists", format!("There is a user {name} already.")),
        Some(_) => (
            "user.deleted",
            format!(
                "There was a user {name}, who was deleted. POST /v2/users with allowRecovery=true restores the user."
            ),
        ),
    };
    DomainError::Conflict { code, detail }.into()
}

/// The parameter `allowRecovery`.
fn allow_recovery(call: &Call) -> Result<bool, Problem> {
    let name = "allowRecovery";
    match query_parameter(call.query(), name)?.as_deref() {
        None => Ok(false),
        Some(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Some(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        Some(text) => Err(Problem::invalid_query(
            name,
            format!("expected true or false, found {}", quoted(text)),
        )),
    }
}
