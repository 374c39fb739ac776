//! Statements over comments on tasks. Whether their task is found decides its caller.

use super::engine::{Value, present};
use super::tables::task_comments::TaskCommentRow;
use super::{Session, StoreError, search};

/// The comment.
///
/// # Errors
/// The engine fails, here and below.
pub fn find(session: &mut dyn Session, id: i32) -> Result<Option<TaskCommentRow>, StoreError> {
    let sql = &TaskCommentRow::statements().find;
    session.first(sql, &[id.into()], TaskCommentRow::read)
}

/// Adds a comment; its id.
pub fn insert(session: &mut dyn Session, row: &TaskCommentRow) -> Result<i32, StoreError> {
    let [_, cells @ ..] = row.cells();
    let sql = "INSERT INTO task_comments (task_id, text, comment_date, commented_by, commented_by_user_id, parent_id, level)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id";
    let id = present(session.first(sql, &cells, |row| row.int32(0))?.flatten())?;
    search::put_task_comment(session, id, &row.text)?;
    Ok(id)
}

/// The answers to a comment, at any depth, by id.
pub fn answers(session: &mut dyn Session, id: i32) -> Result<Vec<TaskCommentRow>, StoreError> {
    let sql = format!(
        "WITH RECURSIVE answers (part) AS (
            SELECT id FROM task_comments WHERE parent_id = ?1
            UNION SELECT c.id FROM task_comments AS c JOIN answers AS a ON c.parent_id = a.part)
         SELECT {} WHERE id IN (SELECT part FROM answers) ORDER BY id",
        TaskCommentRow::statements().columns_from
    );
    session.all(&sql, &[id.into()], TaskCommentRow::read)
}

/// Removes a comment with the answers to it.
pub fn delete(
    session: &mut dyn Session,
    id: i32,
    answers: &[TaskCommentRow],
) -> Result<(), StoreError> {
    let ids = answers.iter().map(|answer| answer.id).chain([id]);
    for id in ids {
        let sql = "DELETE FROM task_comments_search WHERE rowid = ?1";
        session.execute_deferred(sql, &[Value::from(id)])?;
    }
    session.execute_deferred("DELETE FROM task_comments WHERE id = ?1", &[id.into()])
}
