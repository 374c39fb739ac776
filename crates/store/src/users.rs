//! Statements over users. A deleted user is not found, but for what says so.

use std::collections::BTreeMap;

use super::tables::organisation::UserRow;
use super::{Session, StoreError, present, search};

/// How many records of each kind showed a user.
pub type Counts = BTreeMap<&'static str, u64>;

/// The tables of records with a stamp, and the condition for those that show the user.
const STAMPED: [(&str, &str); 3] = [
    (
        "incidents",
        "responsible_user_id = ?1 OR is_anonymous = 0 AND (reported_by_user_id = ?1 OR last_modified_by_user_id = ?1)
            OR id IN (SELECT incident_id FROM incident_comments WHERE commented_by_user_id = ?1)
            OR is_anonymous = 0 AND id IN (SELECT a.incident_id FROM attachments AS a WHERE a.created_by_user_id = ?1)
            OR id IN (SELECT v.incident_id FROM incident_custom_fields AS v JOIN type_custom_fields AS f ON f.id = v.custom_field_id
                WHERE v.value = ?1 AND lower(f.type) = 'user')",
    ),
    (
        "improvements",
        "suggested_by_user_id = ?1 OR responsible_user_id = ?1 OR last_modified_by_user_id = ?1",
    ),
    (
        "tasks",
        "responsible_user_id = ?1 OR last_modified_by_user_id = ?1
            OR id IN (SELECT a.task_id FROM attachments AS a WHERE a.created_by_user_id = ?1)",
    ),
];

/// The user, unless it was deleted.
///
/// # Errors
/// The engine fails, here and below.
pub fn find(session: &mut dyn Session, id: &str) -> Result<Option<UserRow>, StoreError> {
    let sql = &UserRow::statements().find;
    let user = session.first(sql, &[id.into()], UserRow::read)?;
    Ok(user.filter(|user| user.deleted_date.is_none()))
}

/// The users with this name, whatever its case, those that were deleted last. An import may have brought
/// several. The engines do not agree on the case of letters, so the names of all users are compared here.
pub fn named(session: &mut dyn Session, user_name: &str) -> Result<Vec<UserRow>, StoreError> {
    let sql = "SELECT id, user_name FROM users ORDER BY deleted_date IS NOT NULL, id";
    let names = session.all(sql, &[], |row| {
        Ok((present(row.string(0)?)?, present(row.string(1)?)?))
    })?;
    let folded = user_name.to_lowercase();
    let mut users = Vec::new();
    for (id, _) in names
        .iter()
        .filter(|(_, name)| name.to_lowercase() == folded)
    {
        let sql = &UserRow::statements().find;
        users.extend(session.first(sql, &[id.into()], UserRow::read)?);
    }
    Ok(users)
}

/// Adds or replaces a user, deleted or not.
pub fn put(session: &mut dyn Session, row: &UserRow) -> Result<(), StoreError> {
    session.execute_deferred(&UserRow::statements().upsert, &row.cells())?;
    search::put_user(session, &row.id, &row.searched())
}

/// Ends the memberships of a user in groups and projects.
pub fn remove_memberships(session: &mut dyn Session, id: &str) -> Result<(), StoreError> {
    for table in ["group_members", "project_members"] {
        let sql = format!("DELETE FROM {table} WHERE user_id = ?1");
        session.execute_deferred(&sql, &[id.into()])?;
    }
    Ok(())
}

/// Stamps the records that show the user. An incident that the user reported in confidence is not stamped: a
/// stamp would tell who reported it.
pub fn stamp_records(
    session: &mut dyn Session,
    id: &str,
    stamp: i64,
) -> Result<Counts, StoreError> {
    let mut counts = Counts::new();
    for (table, condition) in STAMPED {
        let sql = format!("UPDATE {table} SET last_modified = ?2 WHERE {condition}");
        counts.insert(table, session.execute(&sql, &[id.into(), stamp.into()])?);
    }
    Ok(counts)
}
