//! Comments on tasks as they are stored.

use obeya_model::Timestamp;

use crate::table::table;

table! {
    /// A comment on a task.
    task_comments: TaskCommentRow, TaskCommentLine {
        key id: i32,
        required task_id: i32 => tasks,
        required text: String,
        required comment_date: Timestamp,
        given commented_by: Option<String>,
        given commented_by_user_id: Option<String> => users,
        given parent_id: Option<i32> => task_comments,
        given level: i32,
    }
}
