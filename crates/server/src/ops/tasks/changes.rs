//! What the writes of both generations do to a task, and their entries in the audit log.

use obeya_model::TaskDeletionMode;

use super::body::{self, Body};
use super::place::Place;
use super::{Answer, missing};
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
use obeya_store::tables::attachments::AttachmentRow;
use obeya_store::tables::tasks::{TaskChange, TaskLine, TaskRow};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, attachments, stamp, tasks};

/// Creates a task of a body in a place, which the body may name.
pub(super) async fn create<B: Body>(
    call: Call,
    answer: Answer,
    place: impl FnOnce(&B) -> Place,
) -> Result<Response, Problem> {
    writing::write(call, json::<NeverNull<B>>(), |NeverNull(body), context| {
        context.sets(&body)?;
        let place = place(&body);
        let change = place.decide(body::change(body)?)?;
        let (now, grants) = (context.now, context.grants());
        Ok(Decision::record(answer, move |session| {
            insert(session, &grants, answer, &place, change.clone(), now)
        }))
    })
    .await
}

fn insert(
    session: &mut dyn Session,
    grants: &Grants,
    answer: Answer,
    place: &Place,
    change: TaskChange,
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    let mut task = place.task(session, grants)?.changed(change);
    check(session, grants, &TaskRow::default(), &task)?;
    task.last_modified = stamp::next(session, now, 0)?;
    let id = tasks::insert(session, &task)?;
    let change = changed(id, None, Some(&task));
    Ok(Written::changed(change, move |session| answer(session, id)))
}

/// Changes the task of the path as a body says.
pub(super) async fn update<B: Body>(call: Call, answer: Answer) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, json::<NeverNull<B>>(), |NeverNull(body), context| {
        context.sets(&body)?;
        let change = body::change(body)?;
        let (now, grants) = (context.now, context.grants());
        Ok(Decision::record(answer, move |session| {
            change_task(session, &grants, answer, id, change.clone(), now)
        })
        .against(move |session| answer(session, id)))
    })
    .await
}

fn change_task(
    session: &mut dyn Session,
    grants: &Grants,
    answer: Answer,
    id: i32,
    change: TaskChange,
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    let before = tasks::find(session, id)?.ok_or(missing(id))?;
    let mut next = before.clone().changed(change);
    check(session, grants, &before, &next)?;
    let answer = move |session: &mut dyn Session| answer(session, id);
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
    let diff = diff(Some(&task), None);
    let diff = match mode {
        TaskDeletionMode::Detach => delete_alone(session, &task, diff, now)?,
        _ => delete_with_all_below(session, &task, diff)?,
    };
    Ok(Change::of(format!("tasks/{id}"), diff))
}

/// Deletes a task; the tasks directly below it move to where it was.
fn delete_alone(
    session: &mut dyn Session,
    task: &TaskRow,
    diff: Diff,
    now: i64,
) -> Result<Diff, WriteError> {
    let moved = match tasks::has_parts(session, task.id)? {
        true => {
            let stamp = stamp::next(session, now, task.last_modified)?;
            tasks::lift(session, task, stamp)?
        }
        false => Vec::new(),
    };
    let diff = detached(session, &[task.id], diff)?;
    tasks::delete(session, task.id, &[])?;
    if moved.is_empty() {
        return Ok(diff);
    }
    let mut before_and_after = [Vec::new(), Vec::new()];
    for pair in moved {
        for (lines, row) in before_and_after.iter_mut().zip(pair) {
            lines.push(row.into_line());
        }
    }
    let [before, after] = &before_and_after;
    Ok(diff.property("subTasks", Some(before), Some(after)))
}

/// Deletes a task with all below it.
fn delete_with_all_below(
    session: &mut dyn Session,
    task: &TaskRow,
    diff: Diff,
) -> Result<Diff, WriteError> {
    let below = tasks::below(session, task.id)?;
    let deleted: Vec<i32> = std::iter::once(task.id)
        .chain(below.iter().map(|task| task.id))
        .collect();
    let diff = detached(session, &deleted, diff)?;
    tasks::delete(session, task.id, &below)?;
    if below.is_empty() {
        return Ok(diff);
    }
    let lines: Vec<TaskLine> = below.into_iter().map(TaskRow::into_line).collect();
    Ok(diff.property("subTasks", Some(&lines), None))
}

/// Adds what is attached to tasks that are deleted, without who attached it: as in the entry of one
/// attachment.
fn detached(session: &mut dyn Session, ids: &[i32], diff: Diff) -> Result<Diff, WriteError> {
    let attached = attachments::of_tasks(session, ids.iter().copied())?;
    if attached.is_empty() {
        return Ok(diff);
    }
    let lines = attached.into_iter().map(|attachment| AttachmentRow {
        created_by_user_id: None,
        ..attachment
    });
    let lines: Vec<_> = lines.map(AttachmentRow::into_line).collect();
    Ok(diff.property("attachments", Some(&lines), None))
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
