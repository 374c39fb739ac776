//! Replies among comments, of incidents or of tasks: each answers a comment of the same owner, and its level
//! is its depth.

use std::collections::HashMap;

use super::error::{ImportError, Location};
use super::folder::Source;
use super::ids::{KnownIds, SeenIds};
use super::run::{Run, all_parents, no_circle};
use obeya_store::engine::StoreError;

/// A table of comments.
pub(super) struct Thread {
    pub(super) table: &'static str,
    /// The kind of record that they are on.
    pub(super) owner: &'static str,
    /// The column with its id, and the field of a line.
    pub(super) owner_column: &'static str,
    pub(super) owner_field: &'static str,
    /// The comments that are known, each with the id of its owner.
    pub(super) known: fn(&KnownIds) -> &HashMap<i32, i32>,
}

/// The replies of a file.
#[derive(Debug, Default)]
pub(super) struct Replies {
    /// The comment that each one answers, and its line.
    parents: HashMap<i32, (i32, u64)>,
    without_level: Vec<i32>,
}

impl Replies {
    /// Notes a line.
    pub(super) fn note(
        &mut self,
        location: Location<'_>,
        id: i32,
        parent: Option<i32>,
        level: Option<i32>,
    ) {
        if let Some(parent) = parent {
            self.parents.insert(id, (parent, location.line));
            if level.is_none() {
                self.without_level.push(id);
            }
        }
    }

    /// Checks all replies once every line was read, and computes the levels that lines leave out.
    pub(super) fn complete(
        &self,
        run: &mut Run<'_>,
        source: &Source,
        thread: &Thread,
        seen: &SeenIds<i32>,
    ) -> Result<(), ImportError> {
        self.check_parents(run, source, thread)?;
        check_replies(run, source, thread, seen)?;
        let table = thread.table;
        let sql = format!("SELECT id, parent_id FROM {table} WHERE parent_id IS NOT NULL");
        no_circle(
            &source.name,
            &all_parents(run.session, &sql, &self.parents)?,
        )?;
        self.levels(run, thread)
    }

    fn check_parents(
        &self,
        run: &Run<'_>,
        source: &Source,
        thread: &Thread,
    ) -> Result<(), ImportError> {
        let comments = (thread.known)(&run.known);
        for (id, (parent, line)) in &self.parents {
            let location = Location {
                file: &source.name,
                line: *line,
            };
            let of = thread.owner;
            match comments.get(parent) {
                None => {
                    return Err(location.field_error(
                        "parentId",
                        parent,
                        "the id of a comment in the folder or in the database",
                    ));
                }
                Some(owner) if Some(owner) != comments.get(id) => {
                    return Err(location.field_error(
                        "parentId",
                        format_args!("{parent}, a comment of {of} {owner}"),
                        format_args!("a comment of the same {of}"),
                    ));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Computes the level of replies whose lines leave it out.
    fn levels(&self, run: &mut Run<'_>, thread: &Thread) -> Result<(), ImportError> {
        if self.without_level.is_empty() {
            return Ok(());
        }
        let table = thread.table;
        // Parents may be comments that existed before. One query for all, as each query may cost a round
        // trip.
        let sql = format!("SELECT id, level FROM {table} WHERE level <> 0");
        let stored: HashMap<i64, i64> = run
            .session
            .all(&sql, &[], |row| {
                let number = |column| Ok::<_, StoreError>(row.int(column)?.unwrap_or_default());
                Ok((number(0)?, number(1)?))
            })?
            .into_iter()
            .collect();
        let update = format!("UPDATE {table} SET level = ?2 WHERE id = ?1");
        for id in &self.without_level {
            let mut level = 0_i64;
            let mut at = *id;
            while let Some((parent, _)) = self.parents.get(&at) {
                level += 1;
                at = *parent;
            }
            let above = stored.get(&i64::from(at)).copied().unwrap_or(0);
            run.execute(&update, &[(*id).into(), (above + level).into()])?;
        }
        Ok(())
    }
}

/// Refuses a line that moves a comment to another owner without its replies: deleting one owner would delete
/// replies of the other.
fn check_replies(
    run: &mut Run<'_>,
    source: &Source,
    thread: &Thread,
    seen: &SeenIds<i32>,
) -> Result<(), ImportError> {
    if run.report.replaced == 0 {
        return Ok(());
    }
    let (table, column) = (thread.table, thread.owner_column);
    let sql = format!(
        "SELECT p.id, p.{column}, c.id, c.{column} FROM {table} AS c JOIN {table} AS p ON p.id = c.parent_id
         WHERE p.{column} <> c.{column} ORDER BY c.id"
    );
    let mismatched = run.session.all(&sql, &[], |row| {
        let number = |column| Ok::<_, StoreError>(row.int(column)?.unwrap_or_default());
        Ok((number(0)?, number(1)?, number(2)?, number(3)?))
    })?;
    for (parent, owner, reply, of) in mismatched {
        let line = i32::try_from(parent).ok().and_then(|id| seen.line(&id));
        let Some(line) = line else { continue };
        let location = Location {
            file: &source.name,
            line,
        };
        let kind = thread.owner;
        return Err(location.field_error(
            thread.owner_field,
            owner,
            format_args!("{of}, the {kind} of comment {reply}, a reply to this one"),
        ));
    }
    Ok(())
}
