//! `improvements.jsonl`: improvements as v1 gives them.

use obeya_model::bounds::schemas::improvement_create;
use obeya_model::{Patch, Timestamp};

use super::OnConflict;
use super::error::{ImportError, Location};
use super::folder::Source;
use super::ids::SeenIds;
use super::run::{LineAction, Run, leaves_ids, length, refer, refer_user};
use obeya_rules::enums::{ImprovementStatus, Stage};
use obeya_store::tables::improvements::{ImprovementLine, ImprovementRow};
use obeya_store::variant::Variant;

/// Reads `improvements.jsonl`.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut seen = SeenIds::default();
    run.each(source, |run, location, line: ImprovementLine| {
        leaves_ids(location, "id", line.id, "improvements")?;
        let exists = run.known.improvements.contains(&line.id);
        let action = run.action(location, &mut seen, &line.id, exists)?;
        if action == LineAction::Skip {
            return Ok(());
        }
        length(
            location,
            "title",
            line.title.as_deref(),
            &improvement_create::title::LENGTH,
        )?;
        refer(
            location,
            "groupId",
            line.group_id,
            &run.known.groups,
            "a group",
        )?;
        refer(
            location,
            "projectId",
            line.project_id,
            &run.known.projects,
            "a project",
        )?;
        refer_user(
            location,
            "suggestedByUserId",
            line.suggested_by_user_id.as_deref(),
            &run.known.users,
        )?;
        refer_user(
            location,
            "responsibleUserId",
            line.responsible_user_id.as_deref(),
            &run.known.users,
        )?;
        category(run, location, &line)?;
        run.known.improvements.insert(line.id);
        let default = last_change(&line);
        let requested = line.last_modified;
        let stamp = run
            .stamps
            .assign(location, "lastModified", action, requested, default)?;
        run.collected.improvements.insert(line.id);
        let archived_from = archived_from(location, &line)?;
        let row = ImprovementRow {
            last_modified: stamp,
            archived_from,
            ..ImprovementRow::from_line(line)
        };
        run.execute(&ImprovementRow::statements().upsert, &row.cells())
    })
}

/// Categories of improvements need no file: the first line with a category's id and name creates it, or
/// renames it when existing records are replaced. The lines of one folder must agree.
fn category(
    run: &mut Run<'_>,
    location: Location<'_>,
    line: &ImprovementLine,
) -> Result<(), ImportError> {
    let Some(id) = line.category_id else {
        return Ok(());
    };
    let collected = run.collected.improvement_categories.get(&id);
    let renames = run.on_conflict == OnConflict::Replace && collected.is_none();
    if let Some(title) = &line.category {
        run.collected
            .improvement_categories
            .entry(id)
            .or_insert_with(|| title.clone());
    }
    match (run.known.improvement_categories.get(&id), &line.category) {
        (Some(known), Some(title)) if renames && known != title => {
            run.execute(
                "UPDATE improvement_categories SET title = ?2 WHERE id = ?1",
                &[id.into(), title.into()],
            )?;
            run.known.improvement_categories.insert(id, title.clone());
            Ok(())
        }
        (Some(known), Some(title)) if known != title => Err(location.field_error(
            "category",
            format_args!("\"{title}\""),
            format_args!("\"{known}\", the name category {id} has already"),
        )),
        (Some(_), _) => Ok(()),
        (None, Some(title)) => {
            run.execute(
                "INSERT INTO improvement_categories (id, title) VALUES (?1, ?2)",
                &[id.into(), title.into()],
            )?;
            run.known.improvement_categories.insert(id, title.clone());
            Ok(())
        }
        (None, None) => Err(location.field_error(
            "categoryId",
            id,
            "the id of a category in the database, or the category's name in the field category",
        )),
    }
}

/// The stage an archived improvement goes back to: the one in its line, or the last one that has a date.
fn archived_from(
    location: Location<'_>,
    line: &ImprovementLine,
) -> Result<Option<Variant<Stage>>, ImportError> {
    let stages = [
        (ImprovementStatus::Evaluated, line.evaluated_date),
        (ImprovementStatus::Implemented, line.implemented_date),
        (ImprovementStatus::InProgress, line.in_progress_date),
        (ImprovementStatus::Planned, line.planned_date),
    ];
    let archived = line
        .status
        .as_ref()
        .is_some_and(|status| status.as_str() == "Archived");
    match line.archived_from {
        Patch::Value(stage) if !archived => Err(location.field_error(
            "archivedFrom",
            stage.as_str(),
            "nothing, as the status is not Archived",
        )),
        stage => Ok(stage.apply(archived.then(|| {
            let latest = stages.iter().find(|(_, date)| date.is_some());
            Variant::from_enum(latest.map_or(ImprovementStatus::Suggested, |(stage, _)| *stage))
        }))),
    }
}

/// The latest date of the stages, the default of its stamp; without any date it is now.
fn last_change(line: &ImprovementLine) -> i64 {
    let stages = [
        line.suggestion_date,
        line.planned_date,
        line.in_progress_date,
        line.implemented_date,
        line.evaluated_date,
        line.archived_date,
    ];
    let latest = stages.into_iter().flatten().max();
    latest.map_or(i64::MAX, Timestamp::ticks)
}
