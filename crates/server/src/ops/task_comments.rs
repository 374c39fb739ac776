//! Comments on tasks. Those of a task that is not shown are as if they did not exist.

use obeya_model::bounds::schemas::task_comment_create::{comment, mentions};
use obeya_model::{TaskCommentCreate, Timestamp};
use obeya_odata::sql::{Predicate, Value};

use super::tasks::missing as missing_task;
use super::view::WrittenRecord;
use super::writing::{self, Decision, Written};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::{NoBody, json};
use crate::ops::reading;
use obeya_read::{List, Parent, PointQuery, RecordForm, RecordPlan};
use obeya_rules::error::DomainError;
use obeya_rules::validate::Check;
use obeya_store::audit::{Change, Diff};
use obeya_store::references::References;
use obeya_store::tables::task_comments::{TaskCommentLine, TaskCommentRow};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, entities, task_comments, tasks, wire};

static COMMENT: PointQuery = PointQuery::new(&entities::TASK_COMMENT, "comment");
static RECORD: RecordPlan = RecordPlan::new(RecordForm::of(&entities::TASK_COMMENT));

/// GET /v2/tasks/comments
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| {
        List::of(&entities::TASK_COMMENT).prepare(request)
    })
    .await
}

/// GET /v2/tasks/comments/{taskCommentId}
pub(crate) async fn get(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| COMMENT.prepare(request, id)).await
}

/// GET /v2/tasks/{taskId}/comments: 404 if the task is unknown, or its incident in the trash.
pub(crate) async fn list_of_task(call: Call) -> Result<Response, Problem> {
    let task = call.id()?;
    let list = List::of(&entities::TASK_COMMENT)
        .only(of_task(task))
        .under(parent(task));
    reading::read(call, |request| list.prepare(request)).await
}

/// GET /v2/tasks/{taskId}/comments/{taskCommentId}: 404 as above, and for a comment on another task.
pub(crate) async fn get_of_task(call: Call) -> Result<Response, Problem> {
    let (task, id) = (call.id()?, call.id_at(1)?);
    reading::read(call, |request| {
        COMMENT.prepare_under(request, id, parent(task), of_task(task))
    })
    .await
}

fn of_task(id: i32) -> Predicate {
    Predicate::new("{t}.task_id = ?", [Value::Int(id.into())])
}

fn parent(task: i32) -> Parent {
    Parent {
        noun: "task",
        exists: "SELECT 1 FROM live_tasks WHERE id = ?1".into(),
        id: task.into(),
        source: None,
    }
}

/// The current comment, as a record.
fn answer(session: &mut dyn Session, id: i32) -> Result<WrittenRecord, WriteError> {
    let json = RECORD.read(session, id)?.ok_or(missing(id))?;
    Ok(WrittenRecord::new(RECORD.entity(), id, json))
}

fn missing(id: i32) -> WriteError {
    WriteError::Missing("comment", id.into())
}

/// POST /v2/tasks/comments
pub(crate) async fn create(call: Call) -> Result<Response, Problem> {
    writing::write(call, json::<TaskCommentCreate>(), |body, context| {
        context.sets(&body)?;
        check(&body)?;
        let (date, grants) = (wire::timestamp(context.now)?, context.grants());
        Ok(Decision::record(answer, move |session| {
            let references = References::new(session, &grants);
            let comment = referring(references, &body, date)?;
            let id = task_comments::insert(session, &comment)?;
            let change = added(id, &comment);
            Ok(Written::changed(change, move |session| answer(session, id)))
        }))
    })
    .await
}

fn check(body: &TaskCommentCreate) -> Result<(), DomainError> {
    let mut check = Check::default();
    check.length("comment", &body.comment, &comment::LENGTH);
    let count = body.mentions.as_ref().map_or(0, Vec::len);
    check.size("mentions", count, &mentions::ITEMS, ["user", "users"]);
    check.finish(Some(()))?;
    Ok(())
}

/// The comment of a body, whose references exist. A client is not a user, so it has no author.
fn referring(
    mut references: References<'_>,
    body: &TaskCommentCreate,
    date: Timestamp,
) -> Result<TaskCommentRow, WriteError> {
    let task = references.task("taskId", Some(body.task_id))?;
    // Nothing is said of the comments on a task that the client may not see.
    let answered = match task {
        Some(task) => references.comment_of_task("parentId", task.id, body.parent_id)?,
        None => None,
    };
    // Mentions are for notifications, which this service does not send.
    for (place, user) in body.mentions.iter().flatten().enumerate() {
        references.user(&format!("mentions[{place}]"), Some(user))?;
    }
    references.finish()?;
    Ok(TaskCommentRow {
        task_id: body.task_id,
        parent_id: body.parent_id,
        level: answered.map_or(0, |answered| answered.level + 1),
        text: body.comment.clone(),
        comment_date: date,
        ..TaskCommentRow::default()
    })
}

/// The change by a new comment, for the audit log.
fn added(id: i32, comment: &TaskCommentRow) -> Change {
    let diff = Diff::default()
        .property("parentId", None, comment.parent_id.as_ref())
        .property("text", None, Some(&comment.text));
    Change::of(path(comment.task_id, id), diff)
}

/// DELETE /v2/tasks/comments/{taskCommentId}
pub(crate) async fn delete(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    delete_found(call, id, move |session| {
        let comment = task_comments::find(session, id)?.ok_or(missing(id))?;
        // Of a task that is not shown.
        let task = tasks::find(session, comment.task_id)?;
        task.map(|_| comment).ok_or(missing(id))
    })
    .await
}

/// DELETE /v2/tasks/{taskId}/comments/{taskCommentId}
pub(crate) async fn delete_of_task(call: Call) -> Result<Response, Problem> {
    let (task, id) = (call.id()?, call.id_at(1)?);
    delete_found(call, id, move |session| {
        tasks::find(session, task)?.ok_or(missing_task(task))?;
        let comment = task_comments::find(session, id)?;
        let comment = comment.filter(|comment| comment.task_id == task);
        comment.ok_or(missing(id))
    })
    .await
}

/// Deletes a comment that `find` finds, with the answers to it.
async fn delete_found(
    call: Call,
    id: i32,
    find: impl Fn(&mut dyn Session) -> Result<TaskCommentRow, WriteError> + Copy + Send + 'static,
) -> Result<Response, Problem> {
    writing::write(call, NoBody, |(), _| {
        let decision = Decision::empty(move |session| {
            let comment = find(session)?;
            let answers = task_comments::answers(session, id)?;
            task_comments::delete(session, id, &answers)?;
            Ok::<_, WriteError>(removed(&comment, answers))
        });
        Ok(decision.against(move |session| {
            find(session)?;
            answer(session, id)
        }))
    })
    .await
}

/// The deletion of a comment with the answers to it, for the audit log.
fn removed(comment: &TaskCommentRow, answers: Vec<TaskCommentRow>) -> Change {
    let path = path(comment.task_id, comment.id);
    let mut diff = Diff::default().rows(&TaskCommentRow::TABLE, Some(&comment.cells()), None);
    if !answers.is_empty() {
        let lines = answers.into_iter().map(TaskCommentRow::into_line);
        let lines: Vec<TaskCommentLine> = lines.collect();
        diff = diff.property("answers", Some(&lines), None);
    }
    Change::of(path, diff)
}

fn path(task: i32, id: i32) -> String {
    format!("tasks/{task}/comments/{id}")
}
