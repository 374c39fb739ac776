//! `incident_comments.jsonl`.

use super::error::ExportError;
use super::folder::Lines;
use super::read::by_id;
use crate::lines::comments::CommentLine;
use obeya_store::engine::{Session, present};
use obeya_store::wire::must_instant;

const COMMENT: &str = "id, incident_id, text, comment_date, commented_by, commented_by_user_id, parent_id, level FROM incident_comments";

/// Writes `incident_comments.jsonl`.
pub(super) fn write(session: &mut dyn Session, out: &mut Lines<'_>) -> Result<(), ExportError> {
    by_id(session, COMMENT, |row| {
        let line = CommentLine {
            id: present(row.int32(0)?)?,
            incident_id: present(row.int32(1)?)?,
            text: present(row.string(2)?)?,
            comment_date: must_instant(row, 3)?,
            commented_by: row.string(4)?,
            commented_by_user_id: row.string(5)?,
            parent_id: row.int32(6)?,
            // Told even where it is none: what is left out is worked out.
            level: row.int32(7)?,
        };
        out.put(line.id, &line)
    })
}
