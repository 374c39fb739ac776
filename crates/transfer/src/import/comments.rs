//! `incident_comments.jsonl`.

use std::collections::BTreeSet;

use super::error::ImportError;
use super::folder::Source;
use super::ids::SeenIds;
use super::replies::{Replies, Thread};
use super::run::{LineAction, Run, refer, refer_user};
use obeya_store::bulk::MANY;
use obeya_store::engine::Value;
use obeya_store::tables::comments::{CommentLine, CommentRow};
use obeya_store::{incidents, search};

const THREAD: Thread = Thread {
    table: "incident_comments",
    owner: "incident",
    owner_column: "incident_id",
    owner_field: "incidentId",
    known: |known| &known.comments,
};

/// New comments in one bulk insert. A text may be long.
const PIECE: usize = 1_000;

/// Reads `incident_comments.jsonl`. A reply may come before the comment it answers.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut fresh = Vec::new();
    let mut seen = SeenIds::default();
    let mut replies = Replies::default();
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
        replies.note(location, line.id, line.parent_id, line.level);
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
    replies.complete(run, source, &THREAD, &seen)?;
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
