//! The ids that a line may refer to: those in the database, and those of the lines read so far.
//!
//! References are checked here, before the statement, because only here the line and field are known that an
//! error must name. The foreign keys of the database still apply.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use obeya_store::engine::{Session, StoreError};

/// Ids by resource.
#[derive(Debug, Default)]
pub(super) struct KnownIds {
    pub(super) projects: HashSet<i32>,
    /// The number of each project, with its id.
    pub(super) project_numbers: HashMap<String, i32>,
    /// Milestones, each with the id of its project.
    pub(super) milestones: HashMap<i32, i32>,
    pub(super) areas: HashSet<i32>,
    pub(super) groups: HashSet<i32>,
    pub(super) users: HashSet<String>,
    pub(super) boards: HashSet<i32>,
    pub(super) data_lists: HashSet<i32>,
    /// The items of data lists, each with the id of its list.
    pub(super) data_list_items: HashMap<i32, i32>,
    pub(super) incident_types: HashSet<i32>,
    /// The parts of types, each with the id of its type.
    pub(super) categories: HashMap<i32, i32>,
    pub(super) causes: HashMap<i32, i32>,
    pub(super) consequences: HashMap<i32, i32>,
    pub(super) custom_fields: HashMap<i32, i32>,
    pub(super) incidents: HashSet<i32>,
    /// Comments, each with the id of its incident.
    pub(super) comments: HashMap<i32, i32>,
    pub(super) improvements: HashSet<i32>,
    pub(super) improvement_categories: HashMap<i32, String>,
    pub(super) tasks: HashSet<i32>,
    /// Comments on tasks, each with the id of its task.
    pub(super) task_comments: HashMap<i32, i32>,
    pub(super) attachments: HashSet<i32>,
    /// The text that names each attached file, with the id of its attachment.
    pub(super) files: HashMap<String, i32>,
    pub(super) datasources: HashSet<i32>,
    /// Whether the database had any value before the import. Existing values are looked up in batches: there
    /// may be too many for memory.
    pub(super) any_values: bool,
}

impl KnownIds {
    /// Everything in the database.
    pub(super) fn load(session: &mut dyn Session) -> Result<Self, StoreError> {
        Ok(Self {
            projects: ids(session, "SELECT id FROM projects")?,
            project_numbers: session
                .all("SELECT id, project_number FROM projects", &[], |row| {
                    Ok((row.text(1)?.unwrap_or_default().to_owned(), id(row.int(0)?)))
                })?
                .into_iter()
                .collect(),
            milestones: owned(session, "SELECT id, project_id FROM project_milestones")?,
            areas: ids(session, "SELECT id FROM areas")?,
            groups: ids(session, "SELECT id FROM groups")?,
            users: session
                .all("SELECT id FROM users", &[], |row| {
                    Ok(row.text(0)?.unwrap_or_default().to_owned())
                })?
                .into_iter()
                .collect(),
            boards: ids(session, "SELECT id FROM boards")?,
            data_lists: ids(session, "SELECT id FROM data_lists")?,
            data_list_items: owned(session, "SELECT id, data_list_id FROM data_list_items")?,
            incident_types: ids(session, "SELECT id FROM incident_types")?,
            categories: owned(session, "SELECT id, incident_type_id FROM type_categories")?,
            causes: owned(session, "SELECT id, incident_type_id FROM type_causes")?,
            consequences: owned(
                session,
                "SELECT id, incident_type_id FROM type_consequences",
            )?,
            custom_fields: owned(
                session,
                "SELECT id, incident_type_id FROM type_custom_fields",
            )?,
            incidents: ids(session, "SELECT id FROM incidents")?,
            comments: owned(session, "SELECT id, incident_id FROM incident_comments")?,
            improvements: ids(session, "SELECT id FROM improvements")?,
            improvement_categories: session
                .all("SELECT id, title FROM improvement_categories", &[], |row| {
                    Ok((id(row.int(0)?), row.text(1)?.unwrap_or_default().to_owned()))
                })?
                .into_iter()
                .collect(),
            tasks: ids(session, "SELECT id FROM tasks")?,
            task_comments: owned(session, "SELECT id, task_id FROM task_comments")?,
            attachments: ids(session, "SELECT id FROM attachments")?,
            files: session
                .all("SELECT id, file_id FROM attachments", &[], |row| {
                    Ok((row.text(1)?.unwrap_or_default().to_owned(), id(row.int(0)?)))
                })?
                .into_iter()
                .collect(),
            datasources: ids(session, "SELECT id FROM datasources")?,
            any_values: session
                .first("SELECT id FROM datasource_values LIMIT 1", &[], |row| {
                    row.int(0)
                })?
                .is_some(),
        })
    }
}

fn ids(session: &mut dyn Session, sql: &str) -> Result<HashSet<i32>, StoreError> {
    Ok(session
        .all(sql, &[], |row| Ok(id(row.int(0)?)))?
        .into_iter()
        .collect())
}

fn owned(session: &mut dyn Session, sql: &str) -> Result<HashMap<i32, i32>, StoreError> {
    Ok(session
        .all(sql, &[], |row| Ok((id(row.int(0)?), id(row.int(1)?))))?
        .into_iter()
        .collect())
}

/// An id column. All ids are int32.
fn id(column: Option<i64>) -> i32 {
    column
        .and_then(|id| i32::try_from(id).ok())
        .unwrap_or_default()
}

/// The line of each id in a file, to find duplicates.
#[derive(Debug)]
pub(super) struct SeenIds<K>(HashMap<K, u64>);

impl<K> Default for SeenIds<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash> SeenIds<K> {
    /// The line of the id.
    pub(super) fn line(&self, id: &K) -> Option<u64> {
        self.0.get(id).copied()
    }

    /// Records the id; returns its earlier line if it is a duplicate.
    pub(super) fn note(&mut self, id: K, line: u64) -> Option<u64> {
        match self.0.entry(id) {
            std::collections::hash_map::Entry::Occupied(first) => Some(*first.get()),
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(line);
                None
            }
        }
    }
}
