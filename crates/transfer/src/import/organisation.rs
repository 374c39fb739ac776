//! `areas.jsonl`, `groups.jsonl`, `users.jsonl`.

use std::collections::HashMap;

use super::error::{ImportError, Location};
use super::folder::Source;
use super::ids::SeenIds;
use super::run::{LineAction, Run, all_parents, no_circle, not_empty, refer};
use obeya_store::engine::Value;
use obeya_store::tables::organisation::{
    AreaLine, AreaRow, GroupLine, GroupRow, RoleInGroup, UserLine, UserRow,
};
use obeya_store::{groups, search};

/// Reads `areas.jsonl`.
pub(super) fn areas(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut seen = SeenIds::default();
    run.each(source, |run, location, line: AreaLine| {
        let exists = run.known.areas.contains(&line.id);
        if run.action(location, &mut seen, &line.id, exists)? == LineAction::Skip {
            return Ok(());
        }
        run.known.areas.insert(line.id);
        let row = AreaRow::from_line(line);
        run.execute(&AreaRow::statements().upsert, &row.cells())?;
        search::put_area(run.session, row.id, &row.name, row.description.as_deref())?;
        Ok(())
    })
}

/// Reads `groups.jsonl`. A parent may come after its children.
pub(super) fn groups(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut seen = SeenIds::default();
    let mut parents = HashMap::new();
    run.each(source, |run, location, line: GroupLine| {
        let exists = run.known.groups.contains(&line.id);
        if run.action(location, &mut seen, &line.id, exists)? == LineAction::Skip {
            return Ok(());
        }
        run.known.groups.insert(line.id);
        if let Some(parent) = line.parent_id {
            parents.insert(line.id, (parent, location.line));
        }
        let row = GroupRow::from_line(line);
        run.execute(&GroupRow::statements().upsert, &row.cells())?;
        search::put_group(
            run.session,
            row.id,
            row.name.as_deref(),
            row.description.as_deref(),
        )?;
        Ok(())
    })?;
    for (parent, line) in parents.values() {
        let location = Location {
            file: &source.name,
            line: *line,
        };
        refer(
            location,
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
    let mut seen = SeenIds::default();
    run.each(source, |run, location, mut line: UserLine| {
        not_empty(location, "id", &line.id)?;
        let exists = run.known.users.contains(&line.id);
        let action = run.action(location, &mut seen, &line.id, exists)?;
        if action == LineAction::Skip {
            return Ok(());
        }
        let memberships = std::mem::take(&mut line.groups);
        let row = UserRow::from_line(line);
        run.execute(&UserRow::statements().upsert, &row.cells())?;
        search::put_user(run.session, &row.id, &row.searched())?;
        let id = Value::from(&row.id);
        if action == LineAction::Replace {
            run.execute("DELETE FROM group_members WHERE user_id = ?1", &[id])?;
        }
        let mut roles = HashMap::new();
        for (position, membership) in memberships.into_iter().enumerate() {
            let RoleInGroup { id: group, role } = membership.into();
            let field = format!("groups[{position}]");
            refer(location, &field, Some(group), &run.known.groups, "a group")?;
            // The same one again was always accepted.
            if let Some(other) = roles.insert(group, role)
                && other != role
            {
                let found =
                    format_args!("group {group} as {} and {}", other.as_str(), role.as_str());
                return Err(location.field_error(&field, found, "one role in each group"));
            }
            groups::put_member(run.session, group, &row.id, role)?;
        }
        run.known.users.insert(row.id);
        Ok(())
    })
}
