//! Writing improvements.

use obeya_model::{ImprovementCreate, ImprovementUpdate};

use super::{answer, body, missing};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::{NoBody, json};
use crate::ops::never_null::NeverNull;
use crate::ops::view::WrittenRecord;
use crate::ops::writing::{self, Decision, Written};
use obeya_store::audit::{Change, Diff};
use obeya_store::grants::Grants;
use obeya_store::references::{Record as To, References};
use obeya_store::tables::improvements::{ImprovementChange, ImprovementRow};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, improvements, stamp};

/// POST /v1/Improvements
pub(crate) async fn create(call: Call) -> Result<Response, Problem> {
    writing::write(
        call,
        json::<NeverNull<ImprovementCreate>>(),
        |NeverNull(body), context| {
            context.sets(&body)?;
            let (now, grants) = (context.now, context.grants());
            let improvement = ImprovementRow::created(body::of_create(body)?, now)?;
            Ok(Decision::record(answer, move |session| {
                insert(session, &grants, improvement.clone(), now)
            }))
        },
    )
    .await
}

fn insert(
    session: &mut dyn Session,
    grants: &Grants,
    mut improvement: ImprovementRow,
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    stamp::prefetch(session)?;
    check(session, grants, &ImprovementRow::default(), &improvement)?;
    improvement.last_modified = stamp::next(session, now, 0)?;
    let id = improvements::insert(session, &improvement)?;
    let change = changed(id, None, Some(&improvement));
    Ok(Written::changed(change, move |session| answer(session, id)))
}

/// PUT /v1/Improvements/{improvementId}
pub(crate) async fn update(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(
        call,
        json::<NeverNull<ImprovementUpdate>>(),
        |NeverNull(body), context| {
            context.sets(&body)?;
            let change = body::of_update(body)?;
            let (now, grants) = (context.now, context.grants());
            Ok(Decision::record(answer, move |session| {
                self::change(session, &grants, id, change.clone(), now)
            })
            .against(move |session| answer(session, id)))
        },
    )
    .await
}

fn change(
    session: &mut dyn Session,
    grants: &Grants,
    id: i32,
    change: ImprovementChange,
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    let before = improvements::find(session, id)?.ok_or(missing(id))?;
    let mut next = before.clone().changed(change, now)?;
    check(session, grants, &before, &next)?;
    if next == before {
        return Ok(Written::unchanged(move |session| answer(session, id)));
    }
    next.last_modified = stamp::next(session, now, before.last_modified)?;
    // An API client is not a user, so the change has no author.
    next.last_modified_by_user_id = None;
    improvements::update(session, &next)?;
    let change = changed(id, Some(&before), Some(&next));
    Ok(Written::changed(change, move |session| answer(session, id)))
}

/// The change of an improvement, for the audit log.
fn changed(id: i32, before: Option<&ImprovementRow>, after: Option<&ImprovementRow>) -> Change {
    let (before, after) = (
        before.map(ImprovementRow::cells),
        after.map(ImprovementRow::cells),
    );
    let diff = Diff::default().rows(
        &ImprovementRow::TABLE,
        before.as_ref().map(|cells| &cells[..]),
        after.as_ref().map(|cells| &cells[..]),
    );
    Change::of(format!("improvements/{id}"), diff)
}

/// Checks that the records to which the body refers exist. Unchanged references were checked when they were
/// written.
fn check(
    session: &mut dyn Session,
    grants: &Grants,
    old: &ImprovementRow,
    new: &ImprovementRow,
) -> Result<(), WriteError> {
    let changed = |old: Option<i32>, new: Option<i32>| new.filter(|_| new != old);
    let mut references = References::new(session, grants);
    references.record("groupId", To::Group, changed(old.group_id, new.group_id))?;
    references.record(
        "categoryId",
        To::ImprovementCategory,
        changed(old.category_id, new.category_id),
    )?;
    references.record(
        "projectId",
        To::Project,
        changed(old.project_id, new.project_id),
    )?;
    if new.suggested_by_user_id != old.suggested_by_user_id {
        references.user("suggestedByUserId", new.suggested_by_user_id.as_deref())?;
    }
    if new.responsible_user_id != old.responsible_user_id {
        references.person("responsibleUserId", new.responsible_user_id.as_deref())?;
    }
    references.finish()
}

/// DELETE /v1/Improvements/{improvementId}: deletes permanently; improvements have no trash.
pub(crate) async fn delete(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, NoBody, |(), _| {
        let work = move |session: &mut dyn Session| {
            let deleted = improvements::delete(session, id)?.ok_or(missing(id))?;
            Ok(changed(id, Some(&deleted), None))
        };
        Ok(Decision::empty(work).against(move |session| answer(session, id)))
    })
    .await
}
