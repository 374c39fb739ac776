//! `incident_comments.jsonl`.

use std::collections::{BTreeSet, HashMap};

use super::error::{ImportError, Location};
use super::folder::Source;
use super::ids::SeenIds;
use super::run::{LineAction, Run, all_parents, no_circle, refer, refer_user};
use obeya_store::bulk::MANY;
use obeya_store::engine::{StoreError, Value};
use obeya_store::tables::comments::{CommentLine, CommentRow};
use obeya_store::{incidents, search};

/// New comments in one bulk insert. A text may be long.
const PIECE: usize = 1_000;

/// Reads `incident_comments.jsonl`. A reply may come before the comment it answers.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut fresh = Vec::new();
    let mut seen = SeenIds::default();
    let mut parents = HashMap::new();
    let mut without_level = Vec::new();
    let mut changed = BTreeSet::new();
    run.each(source, |run, location, line: CommentLine| {
        let exists = run.known.comments.contains_key(&line.id);
        let action = run.action(location, &mut seen, &line.id, exists)?;
        if action == LineAction::Skip {
            return Ok(());
        }
        refer(
            location,
            "incidentId",
            Some(line.incident_id),
            &run.known.incidents,
            "an incident",
        )?;
        refer_user(
            location,
            "commentedByUserId",
            line.commented_by_user_id.as_deref(),
            &run.known.users,
        )?;
        changed.insert(line.incident_id);
        changed.extend(run.known.comments.insert(line.id, line.incident_id));
        if let Some(parent) = line.parent_id {
            parents.insert(line.id, (parent, location.line));
            if line.level.is_none() {
                without_level.push(line.id);
            }
        }
        let row = CommentRow::from_line(line);
        if action == LineAction::Insert {
            fresh.push(row);
            if fresh.len() == PIECE {
                add(run, &mut fresh)?;
            }
            return Ok(());
        }
        run.execute(&CommentRow::statements().upsert, &row.cells())?;
        search::put_comment(run.session, row.id, &row.text)?;
        Ok(())
    })?;
    add(run, &mut fresh)?;
    check_parents(run, source, &parents)?;
    check_replies(run, source, &seen)?;
    let sql = "SELECT id, parent_id FROM incident_comments WHERE parent_id IS NOT NULL";
    no_circle(&source.name, &all_parents(run.session, sql, &parents)?)?;
    levels(run, &parents, without_level)?;
    touch(run, &changed)?;
    // Fewer leave the indexes in few segments, and merging costs as much as the whole index.
    if run.report.inserted + run.report.replaced >= MANY {
        search::merge_comment_indexes(run.session)?;
    }
    Ok(())
}

/// Writes comments that were not there before, and forgets them.
fn add(run: &mut Run<'_>, rows: &mut Vec<CommentRow>) -> Result<(), ImportError> {
    let values: Vec<Value<'_>> = rows.iter().flat_map(CommentRow::cells).collect();
    let table = CommentRow::TABLE;
    run.session.append(table.name, &table.names(), &values)?;
    let texts = rows.iter().map(|row| (row.id, row.text.as_str()));
    search::add_comments(run.session, texts)?;
    rows.clear();
    Ok(())
}

/// An incident changes with its comments, so incidents that existed before get a new stamp: they include the
/// number of their comments, and a client that synchronises finds changed comments by changed incidents.
fn touch(run: &mut Run<'_>, changed: &BTreeSet<i32>) -> Result<(), ImportError> {
    for incident in changed
        .iter()
        .filter(|id| !run.collected.incidents.contains(id))
    {
        let stamp = run.stamps.own();
        incidents::touch(run.session, *incident, stamp)?;
    }
    Ok(())
}

fn check_parents(
    run: &Run<'_>,
    source: &Source,
    parents: &HashMap<i32, (i32, u64)>,
) -> Result<(), ImportError> {
    let comments = &run.known.comments;
    for (id, (parent, line)) in parents {
        let location = Location {
            file: &source.name,
            line: *line,
        };
        match comments.get(parent) {
            None => {
                return Err(location.field_error(
                    "parentId",
                    parent,
                    "the id of a comment in the folder or in the database",
                ));
            }
            Some(incident) if Some(incident) != comments.get(id) => {
                return Err(location.field_error(
                    "parentId",
                    format_args!("{parent}, a comment of incident {incident}"),
                    "a comment of the same incident",
                ));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Refuses a line that moves a comment to another incident without its replies: deleting one incident would
/// delete replies of the other.
fn check_replies(
    run: &mut Run<'_>,
    source: &Source,
    seen: &SeenIds<i32>,
) -> Result<(), ImportError> {
    if run.report.replaced == 0 {
        return Ok(());
    }
    let sql = "SELECT p.id, p.incident_id, c.id, c.incident_id FROM incident_comments AS c \
               JOIN incident_comments AS p ON p.id = c.parent_id \
               WHERE p.incident_id <> c.incident_id ORDER BY c.id";
    let mismatched = run.session.all(sql, &[], |row| {
        let number = |column| Ok::<_, StoreError>(row.int(column)?.unwrap_or_default());
        Ok((number(0)?, number(1)?, number(2)?, number(3)?))
    })?;
    for (parent, incident, reply, of) in mismatched {
        let line = i32::try_from(parent).ok().and_then(|id| seen.line(&id));
        let Some(line) = line else { continue };
        let location = Location {
            file: &source.name,
            line,
        };
        return Err(location.field_error(
            "incidentId",
            incident,
            format_args!("{of}, the incident of comment {reply}, a reply to this one"),
        ));
    }
    Ok(())
}

/// Computes the level of replies whose lines leave it out.
fn levels(
    run: &mut Run<'_>,
    parents: &HashMap<i32, (i32, u64)>,
    without: Vec<i32>,
) -> Result<(), ImportError> {
    if without.is_empty() {
        return Ok(());
    }
    // Parents may be comments that existed before. One query for all, as each query may cost a round trip.
    let sql = "SELECT id, level FROM incident_comments WHERE level <> 0";
    let stored: HashMap<i64, i64> = run
        .session
        .all(sql, &[], |row| {
            let number = |column| Ok::<_, StoreError>(row.int(column)?.unwrap_or_default());
            Ok((number(0)?, number(1)?))
        })?
        .into_iter()
        .collect();
    for id in without {
        let mut level = 0_i64;
        let mut at = id;
        while let Some((parent, _)) = parents.get(&at) {
            level += 1;
            at = *parent;
        }
        let above = stored.get(&i64::from(at)).copied().unwrap_or(0);
        run.execute(
            "UPDATE incident_comments SET level = ?2 WHERE id = ?1",
            &[id.into(), (above + level).into()],
        )?;
    }
    Ok(())
}
