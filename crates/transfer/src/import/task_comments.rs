//! `task_comments.jsonl`.

use obeya_model::bounds::schemas::task_comment_create::comment;

use super::error::ImportError;
use super::folder::Source;
use super::ids::SeenIds;
use super::replies::{Replies, Thread};
use super::run::{LineAction, Run, leaves_ids, length, refer, refer_user};
use obeya_store::search;
use obeya_store::tables::task_comments::{TaskCommentLine, TaskCommentRow};

const THREAD: Thread = Thread {
    table: "task_comments",
    owner: "task",
    owner_column: "task_id",
    owner_field: "taskId",
    known: |known| &known.task_comments,
};

/// Reads `task_comments.jsonl`. An answer may come before the comment it answers.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut seen = SeenIds::default();
    let mut replies = Replies::default();
    run.each(source, |run, location, line: TaskCommentLine| {
        leaves_ids(location, "id", line.id, "task comments")?;
        let exists = run.known.task_comments.contains_key(&line.id);
        let action = run.action(location, &mut seen, &line.id, exists)?;
        if action == LineAction::Skip {
            return Ok(());
        }
        length(location, "text", Some(&line.text), &comment::LENGTH)?;
        refer(
            location,
            "taskId",
            Some(line.task_id),
            &run.known.tasks,
            "a task",
        )?;
        refer_user(
            location,
            "commentedByUserId",
            line.commented_by_user_id.as_deref(),
            &run.known.users,
        )?;
        run.known.task_comments.insert(line.id, line.task_id);
        replies.note(location, line.id, line.parent_id, line.level);
        let row = TaskCommentRow::from_line(line);
        run.execute(&TaskCommentRow::statements().upsert, &row.cells())?;
        search::put_task_comment(run.session, row.id, &row.text)?;
        Ok(())
    })?;
    replies.complete(run, source, &THREAD, &seen)
}
