//! Checks that a task exists, and a comment on it.

use super::{References, complaint};
use crate::tables::task_comments::TaskCommentRow;
use crate::tables::tasks::TaskRow;
use crate::{StoreError, entities, task_comments, tasks};

impl References<'_> {
    /// The task that the body refers to, if it refers to one that exists.
    pub fn task(&mut self, field: &str, id: Option<i32>) -> Result<Option<TaskRow>, StoreError> {
        let Some(id) = id else { return Ok(None) };
        let task = tasks::find(self.session, id)?;
        if task.is_some() && self.grants.show(self.session, &entities::TASK, id)? {
            return Ok(task);
        }
        self.unknown
            .push(complaint(field, format!("there is no task {id}")));
        Ok(None)
    }

    /// The comment on this task that the body refers to, if it refers to one that exists.
    pub fn comment_of_task(
        &mut self,
        field: &str,
        task: i32,
        id: Option<i32>,
    ) -> Result<Option<TaskCommentRow>, StoreError> {
        let Some(id) = id else { return Ok(None) };
        let comment = task_comments::find(self.session, id)?;
        let comment = comment.filter(|comment| comment.task_id == task);
        if comment.is_none() {
            let text = format!("task {task} has no comment {id}");
            self.unknown.push(complaint(field, text));
        }
        Ok(comment)
    }
}
