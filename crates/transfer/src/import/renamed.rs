//! Names that an import changed, and the records that include them: an incident includes the name of its
//! project, so it changes with the name.
//!
//! Records of this import have their stamps already. An anonymous incident does not change with the name of
//! its reporter, or of who changed it last: the change would reveal who it was.

use std::collections::{HashMap, HashSet};

use super::error::ImportError;
use super::ids::KnownIds;
use super::run::Run;
use obeya_store::engine::{Row, Session, StoreError, Value};

/// Ids in one query.
const BATCH: usize = 500;

/// A table of records with names.
struct Named {
    /// Selects the ids, and the columns that other records include or are ordered by.
    select: &'static str,
    columns: usize,
    /// Whether references to a missing record are allowed: the referring records then change when it is
    /// added.
    may_dangle: bool,
    /// Queries for the ids of the incidents, improvements and tasks that refer to it, without the final
    /// `IN (…)`.
    incidents: &'static [&'static str],
    improvements: &'static [&'static str],
    tasks: &'static [&'static str],
}

const NAMED: [Named; 10] = [
    Named {
        select: "SELECT id, name FROM projects",
        columns: 2,
        may_dangle: false,
        incidents: &["SELECT id FROM incidents WHERE project_id"],
        improvements: &["SELECT id FROM improvements WHERE project_id"],
        tasks: &[],
    },
    Named {
        select: "SELECT id, name FROM groups",
        columns: 2,
        may_dangle: false,
        incidents: &[
            "SELECT id FROM incidents WHERE reported_by_group_id",
            "SELECT id FROM incidents WHERE follow_up_group_id",
        ],
        improvements: &["SELECT id FROM improvements WHERE group_id"],
        tasks: &[],
    },
    Named {
        select: "SELECT id, user_name, display_name FROM users",
        columns: 3,
        may_dangle: false,
        incidents: &[
            "SELECT id FROM incidents WHERE is_anonymous = 0 AND reported_by_user_id",
            "SELECT id FROM incidents WHERE is_anonymous = 0 AND last_modified_by_user_id",
            "SELECT id FROM incidents WHERE responsible_user_id",
            // Comments include the name of their author.
            "SELECT incident_id FROM incident_comments WHERE commented_by_user_id",
        ],
        improvements: &[
            "SELECT id FROM improvements WHERE suggested_by_user_id",
            "SELECT id FROM improvements WHERE responsible_user_id",
        ],
        tasks: &["SELECT id FROM tasks WHERE responsible_user_id"],
    },
    Named {
        select: "SELECT id, title FROM incident_types",
        columns: 2,
        may_dangle: false,
        incidents: &["SELECT id FROM incidents WHERE incident_type_id"],
        improvements: &[],
        tasks: &[],
    },
    Named {
        select: "SELECT id, title, sort_order FROM type_categories",
        columns: 3,
        may_dangle: false,
        incidents: &["SELECT incident_id FROM incident_categories WHERE category_id"],
        improvements: &[],
        tasks: &[],
    },
    Named {
        select: "SELECT id, title, sort_order FROM type_causes",
        columns: 3,
        may_dangle: false,
        incidents: &["SELECT incident_id FROM incident_causes WHERE cause_id"],
        improvements: &[],
        tasks: &[],
    },
    Named {
        select: "SELECT id, title, unit FROM type_consequences",
        columns: 3,
        may_dangle: false,
        incidents: &["SELECT incident_id FROM incident_consequences WHERE consequence_id"],
        improvements: &[],
        tasks: &[],
    },
    Named {
        select: "SELECT id, label, type, sort_order, data_list_id FROM type_custom_fields",
        columns: 5,
        may_dangle: false,
        incidents: &["SELECT incident_id FROM incident_custom_fields WHERE custom_field_id"],
        improvements: &[],
        tasks: &[],
    },
    Named {
        select: "SELECT id, name FROM data_lists",
        columns: 2,
        may_dangle: true,
        incidents: &[
            "SELECT m.incident_id FROM incident_custom_fields AS m JOIN type_custom_fields AS f ON f.id = m.custom_field_id WHERE f.data_list_id",
        ],
        improvements: &[],
        tasks: &[],
    },
    Named {
        select: "SELECT id, title FROM improvement_categories",
        columns: 2,
        may_dangle: false,
        incidents: &[],
        improvements: &["SELECT id FROM improvements WHERE category_id"],
        tasks: &[],
    },
];

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Int(i64),
    Text(String),
}

/// The texts of each record before the import, for each of [`NAMED`]; empty where no record could include
/// them.
#[derive(Debug)]
pub(super) struct Names(Vec<HashMap<Key, String>>);

impl Names {
    /// Reads the names before the import.
    pub(super) fn begin(session: &mut dyn Session, known: &KnownIds) -> Result<Self, StoreError> {
        if known.incidents.is_empty() && known.improvements.is_empty() && known.tasks.is_empty() {
            return Ok(Names(Vec::new()));
        }
        let names = NAMED.iter().map(|named| texts(session, named));
        names.collect::<Result<_, _>>().map(Names)
    }

    /// Stamps the records that include a name that changed.
    pub(super) fn stamp_changed(&self, run: &mut Run<'_>) -> Result<(), ImportError> {
        for (named, before) in NAMED.iter().zip(&self.0) {
            let changed: Vec<Key> = texts(run.session, named)?
                .into_iter()
                .filter(|(id, now)| match before.get(id) {
                    Some(before) => before != now,
                    None => named.may_dangle,
                })
                .map(|(id, _)| id)
                .collect();
            let incidents = referring(run.session, named.incidents, &changed)?;
            let stamped = std::mem::take(&mut run.collected.incidents);
            touch(run, "incidents", incidents.difference(&stamped))?;
            run.collected.incidents = stamped;
            let improvements = referring(run.session, named.improvements, &changed)?;
            let stamped = std::mem::take(&mut run.collected.improvements);
            touch(run, "improvements", improvements.difference(&stamped))?;
            run.collected.improvements = stamped;
            let tasks = referring(run.session, named.tasks, &changed)?;
            let stamped = std::mem::take(&mut run.collected.tasks);
            touch(run, "tasks", tasks.difference(&stamped))?;
            run.collected.tasks = stamped;
        }
        Ok(())
    }
}

fn texts(session: &mut dyn Session, named: &Named) -> Result<HashMap<Key, String>, StoreError> {
    let text = |row: &dyn Row| {
        let key = match row.value(0)? {
            Value::Text(id) => Key::Text(id.to_owned()),
            _ => Key::Int(row.int(0)?.unwrap_or_default()),
        };
        let texts: Result<Vec<_>, _> = (1..named.columns)
            .map(|column| Ok::<_, StoreError>(format!("{:?}", row.value(column)?)))
            .collect();
        Ok((key, texts?.join(" ")))
    };
    Ok(session.all(named.select, &[], text)?.into_iter().collect())
}

/// The ids of the records that refer to one of the changed ones.
fn referring(
    session: &mut dyn Session,
    selections: &[&str],
    changed: &[Key],
) -> Result<HashSet<i32>, StoreError> {
    let mut found = HashSet::new();
    for selection in selections {
        // Always the same number of placeholders, so that it is one prepared statement.
        let placeholders: Vec<String> = (1..=BATCH).map(|n| format!("?{n}")).collect();
        let sql = format!("{selection} IN ({})", placeholders.join(", "));
        for some in changed.chunks(BATCH) {
            let mut binds = vec![Value::Null; BATCH];
            for (bind, key) in binds.iter_mut().zip(some) {
                *bind = match key {
                    Key::Int(id) => (*id).into(),
                    Key::Text(id) => id.into(),
                };
            }
            let ids = session.all(&sql, &binds, |row| row.int32(0))?;
            found.extend(ids.into_iter().flatten());
        }
    }
    Ok(found)
}

fn touch<'a>(
    run: &mut Run<'_>,
    table: &str,
    ids: impl Iterator<Item = &'a i32>,
) -> Result<(), ImportError> {
    let sql = format!("UPDATE {table} SET last_modified = ?2 WHERE id = ?1");
    for id in ids {
        let stamp = run.stamps.own();
        run.execute(&sql, &[(*id).into(), stamp.into()])?;
    }
    Ok(())
}
