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

/// Whether there are tasks below a task.
pub fn has_parts(session: &mut dyn Session, id: i32) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM tasks WHERE parent_id = ?1 LIMIT 1";
    Ok(session.first(sql, &[id.into()], |_| Ok(()))?.is_some())
}

/// Lifts the tasks directly below a task to the one above it, with this stamp and without an author; the
/// tasks as they were and as they are.
pub fn lift(
    session: &mut dyn Session,
    task: &TaskRow,
    stamp: i64,
) -> Result<Vec<[TaskRow; 2]>, StoreError> {
    let sql = format!(
        "SELECT {} WHERE parent_id = ?1 ORDER BY id",
        TaskRow::statements().columns_from
    );
    let parts = session.all(&sql, &[task.id.into()], TaskRow::read)?;
    let lifted = parts.into_iter().map(|part| {
        let lifted = TaskRow {
            parent_id: task.parent_id,
            last_modified: stamp,
            last_modified_by_user_id: None,
            ..part.clone()
        };
        [part, lifted]
    });
    let lifted: Vec<_> = lifted.collect();
    for [_, part] in &lifted {
        update(session, part)?;
    }
    Ok(lifted)
}

/// Removes a task with those below it.
pub fn delete(session: &mut dyn Session, id: i32, below: &[TaskRow]) -> Result<(), StoreError> {
    let ids = below.iter().map(|task| task.id).chain([id]);
    for id in ids {
        search::remove_task(session, id)?;
    }
    session.execute_deferred("DELETE FROM tasks WHERE id = ?1", &[id.into()])
}
