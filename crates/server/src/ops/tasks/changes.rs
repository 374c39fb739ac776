//! What the writes of both generations do to a task, and their entries in the audit log.

use obeya_model::TaskDeletionMode;

use super::body::{self, Body};
use super::place::Place;
use super::{Shown, missing};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::never_null::NeverNull;
use crate::ops::view::WrittenRecord;
use crate::ops::writing::{self, Decision, Written};
use obeya_store::audit::{Change, Diff};
use obeya_store::grants::Grants;
use obeya_store::references::References;
use obeya_store::tables::tasks::{TaskChange, TaskLine, TaskRow};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, stamp, tasks};

/// Creates a task of a body in a place, which the body may name.
pub(super) async fn create<B: Body>(
    call: Call,
    shown: Shown,
    place: impl FnOnce(&B) -> Place,
) -> Result<Response, Problem> {
    writing::write(call, json::<NeverNull<B>>(), |NeverNull(body), context| {
        context.sets(&body)?;
        let place = place(&body);
        let change = place.decide(body::change(body)?)?;
        let (now, grants) = (context.now, context.grants());
        let current = shown.clone();
        Ok(Decision::record(
            move |session, id: i32| current.answer(session, id),
            move |session| insert(session, &grants, &shown, &place, change.clone(), now),
        ))
    })
    .await
}

fn insert(
    session: &mut dyn Session,
    grants: &Grants,
    shown: &Shown,
    place: &Place,
    change: TaskChange,
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    let mut task = place.task(session, grants)?.changed(change);
    check(session, grants, &TaskRow::default(), &task)?;
    task.last_modified = stamp::next(session, now, 0)?;
    let id = tasks::insert(session, &task)?;
    let (change, shown) = (changed(id, None, Some(&task)), shown.clone());
    Ok(Written::changed(change, move |session| {
        shown.answer(session, id)
    }))
}

/// Changes the task of the path as a body says.
pub(super) async fn update<B: Body>(call: Call, shown: Shown) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, json::<NeverNull<B>>(), |NeverNull(body), context| {
        context.sets(&body)?;
        let change = body::change(body)?;
        let (now, grants) = (context.now, context.grants());
        let [current, present] = [shown.clone(), shown.clone()];
        Ok(Decision::record(
            move |session, id: i32| current.answer(session, id),
            move |session| change_task(session, &grants, &shown, id, change.clone(), now),
        )
        .against(move |session| present.answer(session, id)))
    })
    .await
}

fn change_task(
    session: &mut dyn Session,
    grants: &Grants,
    shown: &Shown,
    id: i32,
    change: TaskChange,
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    let before = tasks::find(session, id)?.ok_or(missing(id))?;
    let mut next = before.clone().changed(change);
    check(session, grants, &before, &next)?;
    let shown = shown.clone();
    let answer = move |session: &mut dyn Session| shown.answer(session, id);
    if next == before {
        return Ok(Written::unchanged(answer));
    }
    next.last_modified = stamp::next(session, now, before.last_modified)?;
    // An API client is not a user, so the change has no author.
    next.last_modified_by_user_id = None;
    tasks::update(session, &next)?;
    let change = changed(id, Some(&before), Some(&next));
    Ok(Written::changed(change, answer))
}

/// Deletes a task; the mode decides what becomes of those below it.
pub(super) fn delete(
    session: &mut dyn Session,
    id: i32,
    mode: &TaskDeletionMode,
    now: i64,
) -> Result<Change, WriteError> {
    let task = tasks::find(session, id)?.ok_or(missing(id))?;
    let lines = |rows: Vec<TaskRow>| -> Vec<TaskLine> {
        rows.into_iter().map(TaskRow::into_line).collect()
    };
    let mut diff = diff(Some(&task), None);
    if let TaskDeletionMode::Detach = mode {
        let lifted = match tasks::has_parts(session, id)? {
            true => {
                let stamp = stamp::next(session, now, task.last_modified)?;
                tasks::lift(session, &task, stamp)?
            }
            false => Vec::new(),
        };
        tasks::delete(session, id, &[])?;
        if !lifted.is_empty() {
            let (before, after) = lifted
                .into_iter()
                .map(|[before, after]| (before, after))
                .unzip();
            let [before, after] = [lines(before), lines(after)];
            diff = diff.property("subTasks", Some(&before), Some(&after));
        }
    } else {
        let below = tasks::below(session, id)?;
        tasks::delete(session, id, &below)?;
        if !below.is_empty() {
            diff = diff.property("subTasks", Some(&lines(below)), None);
        }
    }
    Ok(Change::of(format!("tasks/{id}"), diff))
}

/// The change of a task, for the audit log.
fn changed(id: i32, before: Option<&TaskRow>, after: Option<&TaskRow>) -> Change {
    Change::of(format!("tasks/{id}"), diff(before, after))
}

fn diff(before: Option<&TaskRow>, after: Option<&TaskRow>) -> Diff {
    let (before, after) = (before.map(TaskRow::cells), after.map(TaskRow::cells));
    Diff::default().rows(
        &TaskRow::TABLE,
        before.as_ref().map(|cells| &cells[..]),
        after.as_ref().map(|cells| &cells[..]),
    )
}

/// Checks that the records to which the body refers exist. Unchanged references were checked when they were
/// written.
fn check(
    session: &mut dyn Session,
    grants: &Grants,
    old: &TaskRow,
    new: &TaskRow,
) -> Result<(), WriteError> {
    let mut references = References::new(session, grants);
    let is_moved = new.board_id != old.board_id;
    if is_moved {
        references.board("boardId", new.board_id)?;
    }
    for (field, axis, [before, after]) in [
        (
            "rowCategoryId",
            "row",
            [old.row_category_id, new.row_category_id],
        ),
        (
            "columnCategoryId",
            "column",
            [old.column_category_id, new.column_category_id],
        ),
    ] {
        if is_moved || before != after {
            references.line(field, new.board_id, axis, after)?;
        }
    }
    if new.responsible_user_id != old.responsible_user_id {
        references.person("responsibleUserId", new.responsible_user_id.as_deref())?;
    }
    references.finish()
}
