//! `projects.jsonl`, `areas.jsonl`, `groups.jsonl`, `users.jsonl`.

use std::collections::HashMap;

use super::error::{ImportError, Place};
use super::folder::Source;
use super::known::Seen;
use super::run::{Run, Turn, all_parents, no_circle, not_empty, refer, upsert};
use crate::lines::organisation::{AreaLine, GroupLine, ProjectLine, UserLine};
use obeya_store::engine::Value;
use obeya_store::search;

/// Reads `projects.jsonl`.
pub(super) fn projects(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let sql = upsert("projects", &["id"], &["name"]);
    let mut seen = Seen::default();
    run.each(source, |run, place, line: ProjectLine| {
        let exists = run.known.projects.contains(&line.id);
        if run.turn(place, &mut seen, &line.id, exists)? == Turn::Skip {
            return Ok(());
        }
        run.known.projects.insert(line.id);
        run.execute(&sql, &[line.id.into(), (&line.name).into()])
    })
}

/// Reads `areas.jsonl`.
pub(super) fn areas(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let sql = upsert("areas", &["id"], &["name", "description"]);
    let mut seen = Seen::default();
    run.each(source, |run, place, line: AreaLine| {
        let exists = run.known.areas.contains(&line.id);
        if run.turn(place, &mut seen, &line.id, exists)? == Turn::Skip {
            return Ok(());
        }
        run.known.areas.insert(line.id);
        run.execute(
            &sql,
            &[
                line.id.into(),
                (&line.name).into(),
                line.description.as_deref().into(),
            ],
        )?;
        search::put_area(
            run.session,
            line.id,
            &line.name,
            line.description.as_deref(),
        )?;
        Ok(())
    })
}

/// Reads `groups.jsonl`. A parent may stand after its children.
pub(super) fn groups(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let columns = [
        "type",
        "name",
        "description",
        "parent_id",
        "is_system_group",
        "level",
        "sort_order",
        "business_unit_id",
        "project_id",
        "external_id",
        "external_name",
        "is_member",
    ];
    let sql = upsert("groups", &["id"], &columns);
    let mut seen = Seen::default();
    let mut parents = HashMap::new();
    run.each(source, |run, place, line: GroupLine| {
        let exists = run.known.groups.contains(&line.id);
        if run.turn(place, &mut seen, &line.id, exists)? == Turn::Skip {
            return Ok(());
        }
        run.known.groups.insert(line.id);
        if let Some(parent) = line.parent_id {
            parents.insert(line.id, (parent, place.line));
        }
        let (name, description) = (line.name.as_deref(), line.description.as_deref());
        run.execute(
            &sql,
            &[
                line.id.into(),
                line.kind.as_str().into(),
                name.into(),
                description.into(),
                line.parent_id.into(),
                line.is_system_group.into(),
                line.level.into(),
                line.sort_order.into(),
                line.business_unit_id.into(),
                line.project_id.into(),
                line.external_id.as_deref().into(),
                line.external_name.as_deref().into(),
                line.is_member.into(),
            ],
        )?;
        search::put_group(run.session, line.id, name, description)?;
        Ok(())
    })?;
    for (parent, line) in parents.values() {
        let place = Place {
            file: &source.name,
            line: *line,
        };
        refer(
            place,
            "parentId",
            Some(*parent),
            &run.known.groups,
            "a group",
        )?;
    }
    let parents = all_parents(
        run.session,
        "SELECT id, parent_id FROM groups WHERE parent_id IS NOT NULL",
        &parents,
    )?;
    no_circle(&source.name, &parents)
}

/// Reads `users.jsonl`, memberships included.
pub(super) fn users(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let sql = upsert("users", &["id"], &["user_name", "display_name", "email"]);
    let mut seen = Seen::default();
    run.each(source, |run, place, line: UserLine| {
        not_empty(place, "id", &line.id)?;
        let exists = run.known.users.contains(&line.id);
        let turn = run.turn(place, &mut seen, &line.id, exists)?;
        if turn == Turn::Skip {
            return Ok(());
        }
        let id = Value::from(&line.id);
        run.execute(&sql, &[id, (&line.user_name).into(), (&line.display_name).into(), line.email.as_deref().into()])?;
        if turn == Turn::Replace {
            run.execute("DELETE FROM group_members WHERE user_id = ?1", &[id])?;
        }
        for (position, group) in line.groups.iter().enumerate() {
            refer(place, &format!("groups[{position}]"), Some(*group), &run.known.groups, "a group")?;
            run.execute("INSERT INTO group_members (group_id, user_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING", &[(*group).into(), id])?;
        }
        run.known.users.insert(line.id);
        Ok(())
    })
}
