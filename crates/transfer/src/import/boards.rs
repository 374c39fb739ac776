//! `boards.jsonl`: the fields of both generations' boards.

use super::error::{ImportError, Place};
use super::folder::Source;
use super::known::Seen;
use super::run::{Run, Turn, refer, refer_user, upsert};
use crate::lines::boards::{BoardLine, Row};
use obeya_store::field::Word;
use obeya_store::search;

/// Reads `boards.jsonl`.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let columns = [
        "name",
        "description",
        "board_type",
        "is_public",
        "is_member",
        "group_id",
        "business_unit_id",
        "project_id",
    ];
    let sql = upsert("boards", &["id"], &columns);
    let mut seen = Seen::default();
    run.each(source, |run, place, line: BoardLine| {
        let exists = run.known.boards.contains(&line.id);
        let turn = run.turn(place, &mut seen, &line.id, exists)?;
        if turn == Turn::Skip {
            return Ok(());
        }
        refer(
            place,
            "groupId",
            line.group_id,
            &run.known.groups,
            "a group",
        )?;
        run.known.boards.insert(line.id);
        let (name, description) = (line.name.as_deref(), line.description.as_deref());
        run.execute(
            &sql,
            &[
                line.id.into(),
                name.into(),
                description.into(),
                line.board_type.as_ref().map(Word::as_str).into(),
                line.is_public.into(),
                line.is_member.into(),
                line.group_id.into(),
                line.business_unit_id.into(),
                line.project_id.into(),
            ],
        )?;
        if turn == Turn::Replace {
            run.execute(
                "DELETE FROM board_lines WHERE board_id = ?1",
                &[line.id.into()],
            )?;
        }
        lines(run, place, line.id, "row", "rows", &line.rows)?;
        lines(run, place, line.id, "column", "columns", &line.columns)?;
        search::put_board(run.session, line.id, name, description)?;
        Ok(())
    })
}

fn lines(
    run: &mut Run<'_>,
    place: Place<'_>,
    board: i32,
    axis: &str,
    field: &str,
    lines: &[Row],
) -> Result<(), ImportError> {
    for (position, line) in lines.iter().enumerate() {
        if lines[..position].iter().any(|other| other.id == line.id) {
            return Err(place.fault(
                &format!("{field}[{position}].id"),
                format_args!("{} twice", line.id),
                "each id once",
            ));
        }
        let user = line.responsible_user_id.as_deref();
        refer_user(
            place,
            &format!("{field}[{position}].responsibleUserId"),
            user,
            &run.known.users,
        )?;
        run.execute(
            "INSERT INTO board_lines (board_id, axis, id, name, week_day, is_column_category, style, sort_order, responsible_user_id) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            &[
                board.into(),
                axis.into(),
                line.id.into(),
                line.name.as_deref().into(),
                line.week_day.as_deref().into(),
                line.is_column_category.into(),
                line.style.as_deref().into(),
                line.sort_order.into(),
                user.into(),
            ],
        )?;
    }
    Ok(())
}
