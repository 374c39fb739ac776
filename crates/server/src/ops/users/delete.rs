//! Deleting users.

use super::{ANY_RECORD_V1, answer_v1, answer_v2, change, missing, record};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::NoBody;
use crate::ops::writing::{self, Decision, Written};
use obeya_store::audit::Change;
use obeya_store::tables::organisation::UserRow;
use obeya_store::wire::timestamp;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, users};

/// DELETE /v2/users/{userId}
pub(crate) async fn delete(call: Call) -> Result<Response, Problem> {
    let id = call.user_id()?;
    writing::write(call, NoBody, |(), context| {
        let (now, present) = (context.now, id.clone());
        Ok(Decision::empty(move |session| remove(session, &id, now))
            .against(move |session| answer_v2(session, present.clone())))
    })
    .await
}

/// DELETE /v1/Users/{userId}: the answer is the user as it was, also to a repeated request.
pub(crate) async fn delete_v1(call: Call) -> Result<Response, Problem> {
    let id = call.user_id()?;
    writing::write(call, NoBody, |(), context| {
        let (now, present) = (context.now, id.clone());
        let work = move |session: &mut dyn Session| {
            let before = answer_v1(session, id.clone())?;
            let change = remove(session, &id, now)?;
            Ok(Written::changed(change, move |_| Ok(before.deleted())))
        };
        let deleted = |session: &mut dyn Session, id: String| record(&ANY_RECORD_V1, session, id);
        Ok(Decision::record(deleted, work)
            .against(move |session| answer_v1(session, present.clone())))
    })
    .await
}

fn remove(session: &mut dyn Session, id: &str, now: i64) -> Result<Change, WriteError> {
    let before = users::find(session, id)?.ok_or_else(|| missing(id))?;
    let after = UserRow {
        deleted_date: Some(timestamp(now)?),
        ..before.clone()
    };
    users::put(session, &after)?;
    users::remove_memberships(session, id)?;
    Ok(change(Some(&before), Some(&after)))
}
