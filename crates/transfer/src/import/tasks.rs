//! `tasks.jsonl`: tasks with what they belong to.

use std::collections::HashMap;

use obeya_model::Timestamp;
use obeya_model::bounds::schemas::task_create::{color, external_id, tags, title};

use super::error::{ImportError, Location};
use super::folder::Source;
use super::ids::SeenIds;
use super::run::{LineAction, Run, all_parents, leaves_ids, length, no_circle, refer, refer_user};
use obeya_store::engine::StoreError;
use obeya_store::search;
use obeya_store::tables::tasks::{TaskLine, TaskRow};
use obeya_store::texts::Texts;

/// Reads `tasks.jsonl`. A sub-task may come before its task.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut seen = SeenIds::default();
    let mut parents = HashMap::new();
    run.each(source, |run, location, line: TaskLine| {
        leaves_ids(location, "id", line.id, "tasks")?;
        let exists = run.known.tasks.contains(&line.id);
        let action = run.action(location, &mut seen, &line.id, exists)?;
        if action == LineAction::Skip {
            return Ok(());
        }
        check_texts(location, &line)?;
        check_references(run, location, &line)?;
        if let Some(parent) = line.parent_id {
            parents.insert(line.id, (parent, location.line));
        }
        run.known.tasks.insert(line.id);
        run.collected.tasks.insert(line.id);
        let requested = line.last_modified;
        // A line without a stamp has changed now.
        let default = Timestamp::now().ticks();
        let last_modified =
            run.stamps
                .assign(location, "lastModified", action, requested, default)?;
        let row = TaskRow {
            last_modified,
            ..TaskRow::from_line(line)
        };
        run.execute(&TaskRow::statements().upsert, &row.cells())?;
        search::put_task(run.session, row.id, &row.title, row.description.as_deref())?;
        Ok(())
    })?;
    for (parent, line) in parents.values() {
        let location = Location {
            file: &source.name,
            line: *line,
        };
        let known = &run.known.tasks;
        refer(location, "parentId", Some(*parent), known, "a task")?;
    }
    let sql = "SELECT id, parent_id FROM tasks WHERE parent_id IS NOT NULL";
    no_circle(&source.name, &all_parents(run.session, sql, &parents)?)?;
    check_incidents(run, source, &seen)
}

fn check_texts(location: Location<'_>, line: &TaskLine) -> Result<(), ImportError> {
    length(location, "title", Some(&line.title), &title::LENGTH)?;
    let external = line.external_id.as_deref();
    length(location, "externalId", external, &external_id::LENGTH)?;
    let colour = line.color.as_deref();
    length(location, "color", colour, &color::LENGTH)?;
    let texts = line.tags.as_ref().map(Texts::to_vec);
    let texts = texts.unwrap_or_default();
    let most = tags::ITEMS.end();
    if texts.len() > *most {
        let found = format_args!("{} tags", texts.len());
        return Err(location.field_error("tags", found, format_args!("at most {most}")));
    }
    for (place, text) in texts.iter().enumerate() {
        let field = format!("tags[{place}]");
        length(location, &field, Some(text), &tags::items::LENGTH)?;
    }
    Ok(())
}

fn check_references(
    run: &Run<'_>,
    location: Location<'_>,
    line: &TaskLine,
) -> Result<(), ImportError> {
    let known = &run.known;
    for (field, id, of, what) in [
        ("boardId", line.board_id, &known.boards, "a board"),
        ("projectId", line.project_id, &known.projects, "a project"),
        (
            "incidentId",
            line.incident_id,
            &known.incidents,
            "an incident",
        ),
    ] {
        refer(location, field, id, of, what)?;
    }
    for (field, id) in [
        ("responsibleUserId", &line.responsible_user_id),
        ("lastModifiedByUserId", &line.last_modified_by_user_id),
    ] {
        refer_user(location, field, id.as_deref(), &known.users)?;
    }
    // The board may have lost the row or column since.
    for (field, id) in [
        ("rowCategoryId", line.row_category_id),
        ("columnCategoryId", line.column_category_id),
    ] {
        if let Some(id) = id
            && line.board_id.is_none()
        {
            return Err(location.field_error(field, id, "nothing, as there is no boardId"));
        }
    }
    Ok(())
}

/// Refuses a task of another incident than the task above it: deleting the incident would delete both.
fn check_incidents(
    run: &mut Run<'_>,
    source: &Source,
    seen: &SeenIds<i32>,
) -> Result<(), ImportError> {
    let sql = "SELECT t.id, t.incident_id, p.id, p.incident_id FROM tasks AS t JOIN tasks AS p ON p.id = t.parent_id
        WHERE t.incident_id <> p.incident_id OR (t.incident_id IS NULL) <> (p.incident_id IS NULL) ORDER BY t.id";
    let mismatched = run.session.all(sql, &[], |row| {
        let number = |column| Ok::<_, StoreError>(row.int32(column)?.unwrap_or_default());
        Ok((number(0)?, row.int32(1)?, number(2)?, row.int32(3)?))
    })?;
    for (id, of, parent, expected) in mismatched {
        // The line of one of the two has caused it.
        let Some(line) = seen.line(&id).or_else(|| seen.line(&parent)) else {
            continue;
        };
        let location = Location {
            file: &source.name,
            line,
        };
        let [found, expected] =
            [of, expected].map(|id| id.map_or("none".to_owned(), |id| id.to_string()));
        return Err(location.field_error(
            "incidentId",
            format_args!("{found} of task {id}"),
            format_args!("{expected}, that of task {parent}, which it is a part of"),
        ));
    }
    Ok(())
}
