//! `projects.jsonl`, `areas.jsonl`, `groups.jsonl`, `users.jsonl`.

use super::error::ExportError;
use super::folder::Lines;
use super::read::{by_id, rows, word};
use crate::lines::organisation::{AreaLine, GroupLine, ProjectLine, UserLine};
use obeya_store::engine::{Session, present};

/// Writes `projects.jsonl`.
pub(super) fn projects(session: &mut dyn Session, out: &mut Lines<'_>) -> Result<(), ExportError> {
    by_id(session, "id, name FROM projects", |row| {
        let line = ProjectLine {
            id: present(row.int32(0)?)?,
            name: present(row.string(1)?)?,
        };
        out.put(line.id, &line)
    })
}

/// Writes `areas.jsonl`.
pub(super) fn areas(session: &mut dyn Session, out: &mut Lines<'_>) -> Result<(), ExportError> {
    by_id(session, "id, name, description FROM areas", |row| {
        let line = AreaLine {
            id: present(row.int32(0)?)?,
            name: present(row.string(1)?)?,
            description: row.string(2)?,
        };
        out.put(line.id, &line)
    })
}

/// Writes `groups.jsonl`.
pub(super) fn groups(session: &mut dyn Session, out: &mut Lines<'_>) -> Result<(), ExportError> {
    let what = "id, type, name, description, parent_id, is_system_group, level, sort_order, business_unit_id, project_id,
        external_id, external_name, is_member FROM groups";
    by_id(session, what, |row| {
        let line = GroupLine {
            id: present(row.int32(0)?)?,
            kind: present(word(row, 1)?)?,
            name: row.string(2)?,
            description: row.string(3)?,
            parent_id: row.int32(4)?,
            is_system_group: row.flag(5)?,
            level: row.int32(6)?,
            sort_order: row.int32(7)?,
            business_unit_id: row.int32(8)?,
            project_id: row.int32(9)?,
            external_id: row.string(10)?,
            external_name: row.string(11)?,
            is_member: row.flag(12)?,
        };
        out.put(line.id, &line)
    })
}

/// Writes `users.jsonl`, memberships included.
pub(super) fn users(session: &mut dyn Session, out: &mut Lines<'_>) -> Result<(), ExportError> {
    // A row for each membership, those of one user together.
    let sql = "SELECT u.id, u.user_name, u.display_name, u.email, m.group_id
        FROM users AS u LEFT JOIN group_members AS m ON m.user_id = u.id ORDER BY u.id, m.group_id";
    let mut user: Option<UserLine> = None;
    rows(session, sql, &[], |row| {
        let id = present(row.text(0)?)?;
        if user.as_ref().is_none_or(|user| user.id != id) {
            let next = UserLine {
                id: id.to_owned(),
                user_name: present(row.string(1)?)?,
                display_name: present(row.string(2)?)?,
                email: row.string(3)?,
                groups: Vec::new(),
            };
            if let Some(whole) = user.replace(next) {
                out.put(&whole.id, &whole)?;
            }
        }
        if let (Some(user), Some(group)) = (&mut user, row.int32(4)?) {
            user.groups.push(group);
        }
        Ok(())
    })?;
    match user {
        Some(last) => out.put(&last.id, &last),
        None => Ok(()),
    }
}
