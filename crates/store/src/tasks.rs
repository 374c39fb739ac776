//! Statements over tasks. A task of an incident in the trash is not found.

use super::engine::{Value, present};
use super::tables::tasks::TaskRow;
use super::{Session, StoreError, search};

/// The task, unless its incident is in the trash.
///
/// # Errors
/// The engine fails, here and below.
pub fn find(session: &mut dyn Session, id: i32) -> Result<Option<TaskRow>, StoreError> {
    let sql = &TaskRow::statements().find;
    let Some(task) = session.first(sql, &[id.into()], TaskRow::read)? else {
        return Ok(None);
    };
    let Some(incident) = task.incident_id else {
        return Ok(Some(task));
    };
    let live = "SELECT 1 FROM incidents WHERE id = ?1 AND deleted_date IS NULL";
    let is_live = session.first(live, &[incident.into()], |_| Ok(()))?;
    Ok(is_live.map(|()| task))
}

/// Adds a task; its id.
pub fn insert(session: &mut dyn Session, row: &TaskRow) -> Result<i32, StoreError> {
    let binds: Vec<Value<'_>> = row.written().collect();
    let sql = &TaskRow::statements().insert;
    let id = present(session.first(sql, &binds, |row| row.int32(0))?.flatten())?;
    search::put_task(session, id, &row.title, row.description.as_deref())?;
    Ok(id)
}

/// Replaces what a write sets.
pub fn update(session: &mut dyn Session, row: &TaskRow) -> Result<(), StoreError> {
    let mut binds = vec![row.id.into()];
    binds.extend(row.written());
    session.execute_deferred(&TaskRow::statements().update, &binds)?;
    search::put_task(session, row.id, &row.title, row.description.as_deref())
}

/// Stamps the task because something that belongs to it changed.
pub fn touch(session: &mut dyn Session, id: i32, stamp: i64) -> Result<(), StoreError> {
    session.execute_deferred(
        "UPDATE tasks SET last_modified = ?2, last_modified_by_user_id = NULL WHERE id = ?1",
        &[id.into(), stamp.into()],
    )
}

/// The tasks below a task, at any depth, by id.
pub fn below(session: &mut dyn Session, id: i32) -> Result<Vec<TaskRow>, StoreError> {
    let sql = format!(
        "WITH RECURSIVE below (part) AS (
            SELECT id FROM tasks WHERE parent_id = ?1
            UNION SELECT t.id FROM tasks AS t JOIN below AS b ON t.parent_id = b.part)
         SELECT {} WHERE id IN (SELECT part FROM below) ORDER BY id",
        TaskRow::statements().columns_from
    );
    session.all(&sql, &[id.into()], TaskRow::read)
}

/// Removes a task with those below it.
pub fn delete(session: &mut dyn Session, id: i32, below: &[TaskRow]) -> Result<(), StoreError> {
    let ids = below.iter().map(|task| task.id).chain([id]);
    for id in ids {
        search::remove_task(session, id)?;
    }
    session.execute_deferred("DELETE FROM tasks WHERE id = ?1", &[id.into()])
}
