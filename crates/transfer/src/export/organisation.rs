//! `areas.jsonl`, `groups.jsonl`, `users.jsonl`.

use super::error::ExportError;
use super::folder::JsonlWriter;
use super::read::{by_id, rows};
use obeya_store::engine::{Session, present};
use obeya_store::tables::organisation::{AreaRow, GroupRow, RoleInGroup, UserLine, UserRow};
use obeya_store::variant::Variant;

/// Writes `areas.jsonl`.
pub(super) fn areas(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    by_id(session, &AreaRow::statements().columns_from, |row| {
        let line = AreaRow::read(row)?.into_line();
        out.write(line.id, &line)
    })
}

/// Writes `groups.jsonl`.
pub(super) fn groups(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    by_id(session, &GroupRow::statements().columns_from, |row| {
        let line = GroupRow::read(row)?.into_line();
        out.write(line.id, &line)
    })
}

/// Writes `users.jsonl`, memberships included.
pub(super) fn users(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    // A row for each membership, those of one user together.
    let columns = UserRow::TABLE.names();
    let sql = format!(
        "SELECT {}, m.group_id, m.role FROM users LEFT JOIN group_members AS m ON m.user_id = id ORDER BY id, m.group_id",
        columns.join(", ")
    );
    let mut user: Option<UserLine> = None;
    rows(session, &sql, &[], |row| {
        let id = present(row.text(0)?)?;
        if user.as_ref().is_none_or(|user| user.id != id) {
            let next = UserRow::read(row)?.into_line();
            if let Some(whole) = user.replace(next) {
                out.write(&whole.id, &whole)?;
            }
        }
        if let (Some(user), Some(group)) = (&mut user, row.int32(columns.len())?) {
            let role = Variant::from_column(present(row.text(columns.len() + 1)?)?)?;
            user.groups.push(RoleInGroup { id: group, role }.into());
        }
        Ok(())
    })?;
    match user {
        Some(last) => out.write(&last.id, &last),
        None => Ok(()),
    }
}
