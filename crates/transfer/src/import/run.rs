//! State of a running import, shared by the readers of all resources.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::hash::Hash;
use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;

use super::decode;
use super::error::{ImportError, Location};
use super::folder::Source;
use super::ids::{KnownIds, SeenIds};
use super::progress::Progress;
use super::stamps::Stamps;
use super::{FileReport, OnConflict};
use crate::jsonl::store::StoreLine;
use obeya_rules::validate::may_misfit;
use obeya_store::engine::{Session, Value};

/// The largest id that an import accepts where the service issues ids. A new id is above all earlier ones,
/// and an id is an int32: 147 million remain above this.
const LAST_ID: i32 = 2_000_000_000;

/// A running import, inside its transaction.
pub(super) struct Run<'a> {
    pub(super) session: &'a mut dyn Session,
    pub(super) on_conflict: OnConflict,
    pub(super) known: KnownIds,
    pub(super) stamps: Stamps,
    pub(super) progress: &'a dyn Progress,
    pub(super) report: FileReport,
    pub(super) collected: Collected,
}

/// Data collected from the lines so far, in addition to their records.
#[derive(Debug, Default)]
pub(super) struct Collected {
    /// Names of records that may have no file.
    pub(super) improvement_categories: HashMap<i32, String>,
    pub(super) data_lists: HashMap<i32, String>,
    /// The incidents, improvements and tasks that were stamped by their lines.
    pub(super) incidents: HashSet<i32>,
    pub(super) improvements: HashSet<i32>,
    pub(super) tasks: HashSet<i32>,
    /// The last stamp and ids that the exported store had issued.
    pub(super) given: StoreLine,
    /// The data list of each custom field that occurred, looked up once.
    pub(super) lists_of_fields: HashMap<i32, Option<i64>>,
}

/// What to do with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineAction {
    /// Its record is new.
    Insert,
    /// Its record is in the database and is replaced.
    Replace,
    /// Its record is in the database and does not change.
    Skip,
}

impl Run<'_> {
    /// Calls `each` with every line of a file, decoded.
    pub(super) fn each<T: DeserializeOwned>(
        &mut self,
        source: &Source,
        mut each: impl FnMut(&mut Self, Location<'_>, T) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        source.each_line(self.progress, |location, line| {
            each(self, location, decode::json(location, line)?)
        })
    }

    /// Decides what to do with the record `id`, and counts it. `exists` says whether the database had it
    /// before this import.
    pub(super) fn action<K: Eq + Hash + Display + Clone>(
        &mut self,
        location: Location<'_>,
        seen: &mut SeenIds<K>,
        id: &K,
        exists: bool,
    ) -> Result<LineAction, ImportError> {
        if let Some(first) = seen.note(id.clone(), location.line) {
            return Err(location.field_error(
                "id",
                format_args!("{id}, which line {first} has already"),
                "each id once in a file",
            ));
        }
        self.report.read += 1;
        let action = match (exists, self.on_conflict) {
            (false, _) => LineAction::Insert,
            (true, OnConflict::Skip) => LineAction::Skip,
            (true, OnConflict::Replace) => LineAction::Replace,
            (true, OnConflict::Fail) => {
                let expected =
                    "an id that is new (or the choice to skip or to replace what is there)";
                return Err(location.field_error(
                    "id",
                    format_args!("{id}, which the database has already"),
                    expected,
                ));
            }
        };
        *match action {
            LineAction::Insert => &mut self.report.inserted,
            LineAction::Replace => &mut self.report.replaced,
            LineAction::Skip => &mut self.report.skipped,
        } += 1;
        Ok(action)
    }

    /// Runs a statement. Its error may be returned by a later call, so checks that name a line come before
    /// it.
    pub(super) fn execute(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<(), ImportError> {
        self.session.execute_deferred(sql, binds)?;
        Ok(())
    }
}

/// Refuses an id that does not exist. `what` is the kind of record, such as `a group`.
pub(super) fn refer(
    location: Location<'_>,
    field: &str,
    id: Option<i32>,
    known: &HashSet<i32>,
    what: &str,
) -> Result<(), ImportError> {
    match id {
        Some(id) if !known.contains(&id) => Err(unknown(location, field, id, what)),
        _ => Ok(()),
    }
}

/// Refuses a user id that does not exist.
pub(super) fn refer_user(
    location: Location<'_>,
    field: &str,
    id: Option<&str>,
    known: &HashSet<String>,
) -> Result<(), ImportError> {
    match id {
        Some(id) if !known.contains(id) => {
            Err(unknown(location, field, format_args!("\"{id}\""), "a user"))
        }
        _ => Ok(()),
    }
}

/// Refuses a part of an incident that does not belong to the incident's type.
pub(super) fn refer_part(
    location: Location<'_>,
    field: &str,
    id: i32,
    parts: &HashMap<i32, i32>,
    kind: i32,
    what: &str,
) -> Result<(), ImportError> {
    match parts.get(&id) {
        Some(owner) if *owner == kind => Ok(()),
        Some(owner) => Err(location.field_error(
            field,
            format_args!("{id}, {what} of incident type {owner}"),
            format_args!("{what} of incident type {kind}"),
        )),
        None => Err(unknown(
            location,
            field,
            id,
            &format!("{what} of incident type {kind}"),
        )),
    }
}

fn unknown(location: Location<'_>, field: &str, found: impl Display, what: &str) -> ImportError {
    location.field_error(
        field,
        found,
        format_args!("the id of {what} in the folder or in the database"),
    )
}

/// Refuses a text of another length than the interface allows, in characters.
pub(super) fn length(
    location: Location<'_>,
    field: &str,
    text: Option<&str>,
    allowed: &RangeInclusive<usize>,
) -> Result<(), ImportError> {
    // Most texts need no counting.
    let Some(text) = text.filter(|text| may_misfit(text, allowed)) else {
        return Ok(());
    };
    let found = text.chars().count();
    if allowed.contains(&found) {
        return Ok(());
    }
    if found == 0 && *allowed.start() == 1 {
        return not_empty(location, field, text);
    }
    let expected = if found < *allowed.start() {
        format!("at least {}", allowed.start())
    } else {
        format!("at most {}", allowed.end())
    };
    Err(location.field_error(field, format_args!("{found} characters"), expected))
}

/// Refuses an id that leaves no ids for new records.
pub(super) fn leaves_ids(
    location: Location<'_>,
    field: &str,
    id: i32,
    records: &str,
) -> Result<(), ImportError> {
    if id > LAST_ID {
        let expected = format_args!("at most {LAST_ID}, which leaves ids for new {records}");
        return Err(location.field_error(field, id, expected));
    }
    Ok(())
}

/// Refuses an empty text.
pub(super) fn not_empty(
    location: Location<'_>,
    field: &str,
    text: &str,
) -> Result<(), ImportError> {
    if text.is_empty() {
        return Err(location.field_error(field, "an empty text", "at least one character"));
    }
    Ok(())
}

/// Refuses cycles of parents, in which a walk to the root would never end.
///
/// `parents` has each record's parent, and its line if the file has it; records from before have no line and
/// form no cycle.
pub(super) fn no_circle(
    file: &str,
    parents: &HashMap<i32, (i32, Option<u64>)>,
) -> Result<(), ImportError> {
    // Each record is visited once.
    let mut done: HashSet<i32> = HashSet::with_capacity(parents.len());
    for (start, (_, line)) in parents {
        let Some(line) = line else { continue };
        let mut path = HashSet::new();
        let mut at = *start;
        while !done.contains(&at) {
            let Some((parent, _)) = parents.get(&at) else {
                break;
            };
            if !path.insert(at) {
                let location = Location { file, line: *line };
                let found =
                    format_args!("a parent of {start} that leads to a cycle of parents at {at}");
                return Err(location.field_error(
                    "parentId",
                    found,
                    "parents that end at one without a parent",
                ));
            }
            at = *parent;
        }
        done.extend(path);
    }
    Ok(())
}

/// The parents of a table's records, including the lines read so far.
pub(super) fn all_parents(
    session: &mut dyn Session,
    sql: &str,
    lines: &HashMap<i32, (i32, u64)>,
) -> Result<HashMap<i32, (i32, Option<u64>)>, ImportError> {
    let stored = session.all(sql, &[], |row| {
        Ok((
            row.int(0)?.unwrap_or_default(),
            row.int(1)?.unwrap_or_default(),
        ))
    })?;
    let narrow = |id: i64| i32::try_from(id).unwrap_or_default();
    Ok(stored
        .into_iter()
        .map(|(id, parent)| {
            (
                narrow(id),
                (
                    narrow(parent),
                    lines.get(&narrow(id)).map(|(_, line)| *line),
                ),
            )
        })
        .collect())
}

/// `INSERT … ON CONFLICT (key) DO UPDATE` over these columns, the key first. The names come from this crate,
/// never from a file.
pub(super) fn upsert(table: &str, key: &[&str], columns: &[&str]) -> String {
    let all = key
        .iter()
        .chain(columns)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    let places = (1..=key.len() + columns.len())
        .map(|n| format!("?{n}"))
        .collect::<Vec<_>>()
        .join(", ");
    let changes = columns
        .iter()
        .map(|column| format!("{column} = excluded.{column}"))
        .collect::<Vec<_>>()
        .join(", ");
    let action = if changes.is_empty() {
        "NOTHING".to_owned()
    } else {
        format!("UPDATE SET {changes}")
    };
    format!(
        "INSERT INTO {table} ({all}) VALUES ({places}) ON CONFLICT ({}) DO {action}",
        key.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upsert_sets_everything_but_the_key() {
        assert_eq!(
            upsert("areas", &["id"], &["name", "description"]),
            "INSERT INTO areas (id, name, description) VALUES (?1, ?2, ?3) \
             ON CONFLICT (id) DO UPDATE SET name = excluded.name, description = excluded.description"
        );
        assert_eq!(
            upsert("group_members", &["group_id", "user_id"], &[]),
            "INSERT INTO group_members (group_id, user_id) VALUES (?1, ?2) ON CONFLICT (group_id, user_id) DO NOTHING"
        );
    }

    #[test]
    fn a_circle_of_parents_is_found_and_a_tree_is_none() {
        no_circle(
            "groups.jsonl",
            &HashMap::from([(2, (1, Some(2))), (3, (1, None)), (4, (3, Some(4)))]),
        )
        .expect("a tree");
        let fault = no_circle(
            "groups.jsonl",
            &HashMap::from([(1, (2, Some(5))), (2, (1, None))]),
        )
        .expect_err("1 and 2 are each other's parent");
        assert!(
            fault
                .to_string()
                .starts_with("groups.jsonl, line 5, field parentId: found a parent of 1 "),
            "{fault}"
        );
    }

    #[test]
    fn lengths_are_counted_in_characters() {
        let location = Location {
            file: "x.jsonl",
            line: 1,
        };
        let of = |text: &str, allowed| {
            let fault = length(location, "title", Some(text), &allowed).err();
            fault.map(|fault| fault.to_string())
        };
        // 200 bytes, but 100 characters.
        assert_eq!(of(&"æ".repeat(100), 0..=100), None);
        for (text, allowed, fault) in [
            (
                "æ".repeat(101).as_str(),
                0..=100,
                "found 101 characters, expected at most 100",
            ),
            ("ææ", 3..=100, "found 2 characters, expected at least 3"),
            (
                "",
                1..=100,
                "found an empty text, expected at least one character",
            ),
        ] {
            let fault = format!("x.jsonl, line 1, field title: {fault}");
            assert_eq!(of(text, allowed), Some(fault));
        }
    }
}
