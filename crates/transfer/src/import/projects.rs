//! `projects.jsonl`: projects with their milestones and members.

use std::collections::HashSet;

use obeya_model::bounds::schemas::project_create;

use super::error::{ImportError, Location};
use super::folder::Source;
use super::ids::SeenIds;
use super::run::{LineAction, Run, leaves_ids, length, not_empty, refer_user};
use obeya_store::projects::{
    Milestone, add_member, put_milestone, remove_members, remove_milestones, unaddressable_number,
};
use obeya_store::tables::projects::{MemberLine, MilestoneLine, ProjectLine, ProjectRow};

/// Reads `projects.jsonl`.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut seen = SeenIds::default();
    run.each(source, |run, location, mut line: ProjectLine| {
        let exists = run.known.projects.contains(&line.id);
        let action = run.action(location, &mut seen, &line.id, exists)?;
        if action == LineAction::Skip {
            return Ok(());
        }
        let milestones = std::mem::take(&mut line.milestones);
        let members = std::mem::take(&mut line.members);
        let mut row = ProjectRow::from_line(line);
        row.project_number = Some(number(run, location, &row)?);
        for (field, text, allowed) in [
            ("status", &row.status, &project_create::status::LENGTH),
            (
                "externalId",
                &row.external_id,
                &project_create::external_id::LENGTH,
            ),
            (
                "customerNumber",
                &row.customer_number,
                &project_create::customer_number::LENGTH,
            ),
        ] {
            length(location, field, text.as_deref(), allowed)?;
        }
        run.known.projects.insert(row.id);
        run.execute(&ProjectRow::statements().upsert, &row.cells())?;
        if action == LineAction::Replace {
            remove_milestones(run.session, row.id)?;
            remove_members(run.session, row.id)?;
        }
        self::milestones(run, location, row.id, milestones)?;
        self::members(run, location, row.id, &members)
    })
}

/// The number of a project; its id if the line has none. No two projects have the same.
fn number(
    run: &mut Run<'_>,
    location: Location<'_>,
    row: &ProjectRow,
) -> Result<String, ImportError> {
    const FIELD: &str = "projectNumber";
    let id = row.id;
    let number = row.project_number.clone().unwrap_or(id.to_string());
    length(
        location,
        FIELD,
        Some(&number),
        &project_create::project_number::LENGTH,
    )?;
    if let Some(expected) = unaddressable_number(&number) {
        let found = format_args!("\"{number}\"");
        return Err(location.field_error(FIELD, found, expected));
    }
    if let Some(other) = run.known.project_numbers.get(&number)
        && *other != id
    {
        let found = format_args!("\"{number}\", the number of project {other}");
        return Err(location.field_error(FIELD, found, "a number of no other project"));
    }
    run.known.project_numbers.retain(|_, owner| *owner != id);
    run.known.project_numbers.insert(number.clone(), id);
    Ok(number)
}

fn milestones(
    run: &mut Run<'_>,
    location: Location<'_>,
    project: i32,
    lines: Vec<MilestoneLine>,
) -> Result<(), ImportError> {
    let mut ids = HashSet::new();
    for (place, line) in lines.into_iter().enumerate() {
        let field = |name: &str| format!("milestones[{place}].{name}");
        leaves_ids(location, &field("id"), line.id, "milestones")?;
        if !ids.insert(line.id) {
            let found = format_args!("{} twice", line.id);
            return Err(location.field_error(&field("id"), found, "each id once"));
        }
        if let Some(other) = run.known.milestones.insert(line.id, project)
            && other != project
        {
            let found = format_args!("{}, a milestone of project {other}", line.id);
            return Err(location.field_error(&field("id"), found, "an id of no other project"));
        }
        not_empty(location, &field("name"), &line.name)?;
        let milestone = Milestone {
            name: line.name,
            planned_date: line.planned_date,
            actual_date: line.actual_date,
        };
        put_milestone(run.session, (project, line.id), &milestone)?;
    }
    Ok(())
}

fn members(
    run: &mut Run<'_>,
    location: Location<'_>,
    project: i32,
    lines: &[MemberLine],
) -> Result<(), ImportError> {
    for (place, line) in lines.iter().enumerate() {
        let field = format!("members[{place}].userId");
        refer_user(location, &field, Some(&line.user_id), &run.known.users)?;
        if lines[..place]
            .iter()
            .any(|other| other.user_id == line.user_id)
        {
            let found = format_args!("\"{}\" twice", line.user_id);
            return Err(location.field_error(&field, found, "each user once"));
        }
        add_member(run.session, project, &line.user_id, line.role)?;
    }
    Ok(())
}
