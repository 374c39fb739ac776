//! Statements over projects, their milestones and their members.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use obeya_model::Timestamp;

use super::engine::present;
use super::tables::projects::{MilestoneLine, ProjectRow};
use super::variant::Variant;
use super::wire::instant;
use super::{Row, Session, StoreError, sequences};
use obeya_rules::enums::MemberRole;

/// The table of projects, whose ids are issued by a counter.
pub const PROJECTS: &str = "projects";
/// The table of milestones, the same.
pub const MILESTONES: &str = "project_milestones";

/// What may refer to a project, with the query for one that does, in the order in which it is reported.
const REFERRING: [(&str, &str); 5] = [
    (
        "an incident",
        "SELECT 1 FROM incidents WHERE project_id = ?1 LIMIT 1",
    ),
    (
        "an improvement",
        "SELECT 1 FROM improvements WHERE project_id = ?1 LIMIT 1",
    ),
    (
        "a board",
        "SELECT 1 FROM boards WHERE project_id = ?1 LIMIT 1",
    ),
    (
        "a group",
        "SELECT 1 FROM groups WHERE project_id = ?1 LIMIT 1",
    ),
    (
        "a task",
        "SELECT 1 FROM tasks WHERE project_id = ?1 LIMIT 1",
    ),
];

/// A milestone, without its project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Milestone {
    /// Its name.
    pub name: String,
    /// When it is to be reached.
    pub planned_date: Option<Timestamp>,
    /// When it was reached.
    pub actual_date: Option<Timestamp>,
}

impl From<(i32, Milestone)> for MilestoneLine {
    fn from((id, milestone): (i32, Milestone)) -> Self {
        Self {
            id,
            name: milestone.name,
            planned_date: milestone.planned_date,
            actual_date: milestone.actual_date,
        }
    }
}

/// What is expected instead of a number that no address can name; `None` if one can. A client removes the
/// segments `.` and `..` from an address (RFC 3986, 5.2.4).
#[must_use]
pub fn unaddressable_number(number: &str) -> Option<&'static str> {
    if number.contains('/') {
        Some("a text without /")
    } else if [".", ".."].contains(&number) {
        Some("another text than . or .., which no address can contain")
    } else {
        None
    }
}

/// The id of the project with this number.
///
/// # Errors
/// The engine fails, here and below.
pub fn id_of(session: &mut dyn Session, number: &str) -> Result<Option<i32>, StoreError> {
    let sql = "SELECT id FROM projects WHERE project_number = ?1";
    Ok(session
        .first(sql, &[number.into()], |row| row.int32(0))?
        .flatten())
}

/// The number of the project.
pub fn number_of(session: &mut dyn Session, id: i32) -> Result<Option<String>, StoreError> {
    let sql = "SELECT project_number FROM projects WHERE id = ?1";
    Ok(session
        .first(sql, &[id.into()], |row| row.string(0))?
        .flatten())
}

/// The project as it is stored.
pub fn find(session: &mut dyn Session, id: i32) -> Result<Option<ProjectRow>, StoreError> {
    let sql = &ProjectRow::statements().find;
    session.first(sql, &[id.into()], ProjectRow::read)
}

/// Adds a project, with an id that is issued here; the id.
pub fn insert(session: &mut dyn Session, mut row: ProjectRow) -> Result<i32, StoreError> {
    row.id = sequences::issue(session, PROJECTS)?;
    session.execute_deferred(&ProjectRow::statements().upsert, &row.cells())?;
    Ok(row.id)
}

/// What refers to the project; `None` if nothing does.
pub fn referring(session: &mut dyn Session, id: i32) -> Result<Option<&'static str>, StoreError> {
    for (noun, sql) in REFERRING {
        if session.first(sql, &[id.into()], |_| Ok(()))?.is_some() {
            return Ok(Some(noun));
        }
    }
    Ok(None)
}

/// Removes a project with its milestones and members; their ids are not issued again.
pub fn delete(session: &mut dyn Session, id: i32) -> Result<(), StoreError> {
    sequences::retain(session, PROJECTS)?;
    remove_milestones(session, id)?;
    session.execute_deferred("DELETE FROM projects WHERE id = ?1", &[id.into()])
}

/// The users with these e-mail addresses, whose letter case does not count; of several with one address the
/// first by id. All users are read once, however many addresses there are.
pub fn users_of_emails<'a>(
    session: &mut dyn Session,
    emails: &BTreeSet<&'a str>,
) -> Result<BTreeMap<&'a str, String>, StoreError> {
    let mut found = BTreeMap::new();
    if emails.is_empty() {
        return Ok(found);
    }
    let sql = "SELECT email, id FROM users WHERE email IS NOT NULL AND deleted_date IS NULL ORDER BY id DESC";
    let users: HashMap<String, String> = session
        .all(sql, &[], |row| {
            let email = present(row.text(0)?)?.to_lowercase();
            Ok((email, present(row.string(1)?)?))
        })?
        .into_iter()
        .collect();
    for email in emails {
        if let Some(user) = users.get(&email.to_lowercase()) {
            found.insert(*email, user.clone());
        }
    }
    Ok(found)
}

/// Adds a member to a project. A user who is one already keeps the role.
pub fn add_member(
    session: &mut dyn Session,
    project: i32,
    user: &str,
    role: Variant<MemberRole>,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO project_members (project_id, user_id, role) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    session.execute_deferred(sql, &[project.into(), user.into(), role.as_str().into()])
}

/// Removes all members of a project.
pub fn remove_members(session: &mut dyn Session, project: i32) -> Result<(), StoreError> {
    session.execute_deferred(
        "DELETE FROM project_members WHERE project_id = ?1",
        &[project.into()],
    )
}

/// The milestone of a project as it is stored.
pub fn find_milestone(
    session: &mut dyn Session,
    project: i32,
    id: i32,
) -> Result<Option<Milestone>, StoreError> {
    let sql = "SELECT id, name, planned_date, actual_date FROM project_milestones WHERE project_id = ?1 AND id = ?2";
    session.first(sql, &[project.into(), id.into()], |row| {
        read_milestone(row, 0).map(|(_, milestone)| milestone)
    })
}

/// The milestones of a project, by id.
pub fn milestones_of(
    session: &mut dyn Session,
    project: i32,
) -> Result<Vec<MilestoneLine>, StoreError> {
    let sql = "SELECT id, name, planned_date, actual_date FROM project_milestones WHERE project_id = ?1 ORDER BY id";
    session.all(sql, &[project.into()], |row| {
        read_milestone(row, 0).map(MilestoneLine::from)
    })
}

/// Adds a milestone to a project, with an id that is issued here; the id.
pub fn add_milestone(
    session: &mut dyn Session,
    project: i32,
    milestone: &Milestone,
) -> Result<i32, StoreError> {
    let id = sequences::issue(session, MILESTONES)?;
    put_milestone(session, (project, id), milestone)?;
    Ok(id)
}

/// Stores a milestone under its id: a new one, or in place of the one of that id.
pub fn put_milestone(
    session: &mut dyn Session,
    (project, id): (i32, i32),
    milestone: &Milestone,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO project_milestones (id, project_id, name, planned_date, actual_date) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, planned_date = excluded.planned_date, actual_date = excluded.actual_date";
    let binds = [
        id.into(),
        project.into(),
        (&milestone.name).into(),
        milestone.planned_date.map(Timestamp::ticks).into(),
        milestone.actual_date.map(Timestamp::ticks).into(),
    ];
    session.execute_deferred(sql, &binds)
}

/// Removes a milestone; its id is not issued again.
pub fn delete_milestone(session: &mut dyn Session, id: i32) -> Result<(), StoreError> {
    sequences::retain(session, MILESTONES)?;
    session.execute_deferred("DELETE FROM project_milestones WHERE id = ?1", &[id.into()])
}

/// Removes all milestones of a project; their ids are not issued again.
pub fn remove_milestones(session: &mut dyn Session, project: i32) -> Result<(), StoreError> {
    sequences::retain(session, MILESTONES)?;
    session.execute_deferred(
        "DELETE FROM project_milestones WHERE project_id = ?1",
        &[project.into()],
    )
}

/// Reads a milestone from four columns of a row: its id, name and dates.
pub fn read_milestone(row: &dyn Row, from: usize) -> Result<(i32, Milestone), StoreError> {
    let milestone = Milestone {
        name: present(row.string(from + 1)?)?,
        planned_date: instant(row, from + 2)?,
        actual_date: instant(row, from + 3)?,
    };
    Ok((present(row.int32(from)?)?, milestone))
}
