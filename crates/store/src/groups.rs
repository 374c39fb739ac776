//! Statements over groups and their members.

use super::engine::present;
use super::tables::organisation::GroupRow;
use super::variant::Variant;
use super::{Session, StoreError, search, sequences};
use obeya_rules::enums::MemberRole;

/// The table of groups, whose ids are issued by a counter.
pub const GROUPS: &str = "groups";

/// What may refer to a group, with the query for one that does, in the order in which it is reported.
const REFERRING: [(&str, &str); 5] = [
    (
        "a group below it",
        "SELECT 1 FROM groups WHERE parent_id = ?1 LIMIT 1",
    ),
    (
        "a board",
        "SELECT 1 FROM boards WHERE group_id = ?1 LIMIT 1",
    ),
    (
        "an incident",
        "SELECT 1 FROM incidents WHERE reported_by_group_id = ?1 LIMIT 1",
    ),
    (
        "an incident",
        "SELECT 1 FROM incidents WHERE follow_up_group_id = ?1 LIMIT 1",
    ),
    (
        "an improvement",
        "SELECT 1 FROM improvements WHERE group_id = ?1 LIMIT 1",
    ),
];

/// The group as it is stored.
///
/// # Errors
/// The engine fails, here and below.
pub fn find(session: &mut dyn Session, id: i32) -> Result<Option<GroupRow>, StoreError> {
    let sql = &GroupRow::statements().find;
    session.first(sql, &[id.into()], GroupRow::read)
}

/// Adds a group, with an id that is issued here; the id.
pub fn insert(session: &mut dyn Session, mut row: GroupRow) -> Result<i32, StoreError> {
    row.id = sequences::issue(session, GROUPS)?;
    session.execute_deferred(&GroupRow::statements().upsert, &row.cells())?;
    search::put_group(
        session,
        row.id,
        row.name.as_deref(),
        row.description.as_deref(),
    )?;
    Ok(row.id)
}

/// What refers to the group; `None` if nothing does.
pub fn referring(session: &mut dyn Session, id: i32) -> Result<Option<&'static str>, StoreError> {
    for (noun, sql) in REFERRING {
        if session.first(sql, &[id.into()], |_| Ok(()))?.is_some() {
            return Ok(Some(noun));
        }
    }
    Ok(None)
}

/// Removes a group with its memberships; its id is not issued again.
pub fn delete(session: &mut dyn Session, id: i32) -> Result<(), StoreError> {
    sequences::retain(session, GROUPS)?;
    search::remove_group(session, id)?;
    session.execute_deferred("DELETE FROM groups WHERE id = ?1", &[id.into()])
}

/// The role of a user in a group; `None` if the user is no member of it.
pub fn role_of(
    session: &mut dyn Session,
    group: i32,
    user: &str,
) -> Result<Option<Variant<MemberRole>>, StoreError> {
    let sql = "SELECT role FROM group_members WHERE group_id = ?1 AND user_id = ?2";
    session.first(sql, &[group.into(), user.into()], |row| {
        Variant::from_column(present(row.text(0)?)?)
    })
}

/// Makes a user a member of a group with this role.
pub fn put_member(
    session: &mut dyn Session,
    group: i32,
    user: &str,
    role: Variant<MemberRole>,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO group_members (group_id, user_id, role) VALUES (?1, ?2, ?3)
        ON CONFLICT (group_id, user_id) DO UPDATE SET role = excluded.role";
    session.execute_deferred(sql, &[group.into(), user.into(), role.as_str().into()])
}

/// Removes a user from a group.
pub fn remove_member(session: &mut dyn Session, group: i32, user: &str) -> Result<(), StoreError> {
    let sql = "DELETE FROM group_members WHERE group_id = ?1 AND user_id = ?2";
    session.execute_deferred(sql, &[group.into(), user.into()])
}
