//! Writing tasks.

use obeya_model::{TaskInfoCreate, TaskInfoUpdate};

use super::{answer, body, missing};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::{NoBody, json};
use crate::ops::never_null::NeverNull;
use crate::ops::projects;
use crate::ops::view::WrittenRecord;
use crate::ops::writing::{self, Decision, Written};
use obeya_rules::error::{Complaint, DomainError};
use obeya_store::audit::{Change, Diff};
use obeya_store::grants::Grants;
use obeya_store::references::References;
use obeya_store::tables::attachments::AttachmentRow;
use obeya_store::tables::tasks::{TaskChange, TaskRow};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, attachments, boards, stamp, tasks};

/// POST /v1/Boards/{id}/tasks
pub(crate) async fn create_of_board(call: Call) -> Result<Response, Problem> {
    let board = call.id()?;
    create_in(
        call,
        move |change| of_board(change, board),
        move |session| match boards::exists(session, board)? {
            true => Ok(TaskRow::default()),
            false => Err(WriteError::Missing("board", board.into())),
        },
    )
    .await
}

/// POST /v1/Projects/{projectNumber}/tasks
pub(crate) async fn create_of_project(call: Call) -> Result<Response, Problem> {
    let number = call.name()?;
    create_in(call, Ok, move |session| {
        Ok(TaskRow {
            project_id: Some(projects::id_of(session, &number)?),
            ..TaskRow::default()
        })
    })
    .await
}

/// POST /v1/Tasks
pub(crate) async fn create(call: Call) -> Result<Response, Problem> {
    create_in(call, Ok, |_| Ok(TaskRow::default())).await
}

/// POST /v1/Tasks/{id}/SubTasks: the task belongs to what the task above it belongs to.
pub(crate) async fn create_sub_task(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    create_in(call, inheriting_board, move |session| {
        let above = tasks::find(session, id)?.ok_or(missing(id))?;
        Ok(TaskRow {
            parent_id: Some(id),
            board_id: above.board_id,
            project_id: above.project_id,
            incident_id: above.incident_id,
            ..TaskRow::default()
        })
    })
    .await
}

/// Creates a task from what its place gives it, and a body.
async fn create_in(
    call: Call,
    decide: impl FnOnce(TaskChange) -> Result<TaskChange, DomainError>,
    place: impl Fn(&mut dyn Session) -> Result<TaskRow, WriteError> + Send + 'static,
) -> Result<Response, Problem> {
    writing::write(
        call,
        json::<NeverNull<TaskInfoCreate>>(),
        |NeverNull(body), context| {
            context.sets(&body)?;
            let change = decide(body::of_create(body)?)?;
            let (now, grants) = (context.now, context.grants());
            Ok(Decision::record(answer, move |session| {
                let place = place(session)?;
                insert(session, &grants, place, change.clone(), now)
            }))
        },
    )
    .await
}

/// The change with the board of the path, which the body may repeat.
fn of_board(mut change: TaskChange, board: i32) -> Result<TaskChange, DomainError> {
    if let Some(Some(other)) = change.fields.board_id
        && other != board
    {
        return Err(DomainError::Invalid(vec![Complaint {
            field: "boardId".to_owned(),
            text: format!("expected {board}, as in the path, found {other}"),
        }]));
    }
    change.fields.board_id = Some(Some(board));
    Ok(change)
}

/// The change that leaves the board as it is where the body has none.
fn inheriting_board(mut change: TaskChange) -> Result<TaskChange, DomainError> {
    change.fields.board_id = change.fields.board_id.filter(Option::is_some);
    Ok(change)
}

fn insert(
    session: &mut dyn Session,
    grants: &Grants,
    place: TaskRow,
    change: TaskChange,
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    let mut task = place.changed(change);
    check(session, grants, &TaskRow::default(), &task)?;
    task.last_modified = stamp::next(session, now, 0)?;
    let id = tasks::insert(session, &task)?;
    let change = changed(id, None, Some(&task));
    Ok(Written::changed(change, move |session| answer(session, id)))
}

/// PUT /v1/Tasks/{id}
pub(crate) async fn update(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(
        call,
        json::<NeverNull<TaskInfoUpdate>>(),
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
    change: TaskChange,
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    let before = tasks::find(session, id)?.ok_or(missing(id))?;
    let mut next = before.clone().changed(change);
    check(session, grants, &before, &next)?;
    if next == before {
        return Ok(Written::unchanged(move |session| answer(session, id)));
    }
    next.last_modified = stamp::next(session, now, before.last_modified)?;
    // An API client is not a user, so the change has no author.
    next.last_modified_by_user_id = None;
    tasks::update(session, &next)?;
    let change = changed(id, Some(&before), Some(&next));
    Ok(Written::changed(change, move |session| answer(session, id)))
}

/// DELETE /v1/Tasks/{id}: deletes a task with those below it. The answer is the task as it was.
pub(crate) async fn delete(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, NoBody, |(), _| {
        let work = move |session: &mut dyn Session| {
            let before = answer(session, id)?;
            let task = tasks::find(session, id)?.ok_or(missing(id))?;
            let below = tasks::below(session, id)?;
            let ids = below.iter().map(|task| task.id).chain([id]);
            let attached = attachments::of_tasks(session, ids)?;
            tasks::delete(session, id, &below)?;
            let change = removed(&task, below, attached);
            Ok(Written::changed(change, move |_| Ok(before.deleted())))
        };
        Ok(Decision::record(answer, work).against(move |session| answer(session, id)))
    })
    .await
}

/// The change of a task, for the audit log.
fn changed(id: i32, before: Option<&TaskRow>, after: Option<&TaskRow>) -> Change {
    Change::of(format!("tasks/{id}"), diff(before, after))
}

/// The deletion of a task with those below it, and of what is attached to them.
fn removed(task: &TaskRow, below: Vec<TaskRow>, attached: Vec<AttachmentRow>) -> Change {
    let id = task.id;
    let mut diff = diff(Some(task), None);
    if !below.is_empty() {
        let lines: Vec<_> = below.into_iter().map(TaskRow::into_line).collect();
        diff = diff.property("subTasks", Some(&lines), None);
    }
    if !attached.is_empty() {
        // As in the entry of a single attachment.
        let lines = attached.into_iter().map(|attachment| AttachmentRow {
            created_by_user_id: None,
            ..attachment
        });
        let lines: Vec<_> = lines.map(AttachmentRow::into_line).collect();
        diff = diff.property("attachments", Some(&lines), None);
    }
    Change::of(format!("tasks/{id}"), diff)
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
