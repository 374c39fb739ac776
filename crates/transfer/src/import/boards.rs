//! `boards.jsonl`: the fields of both generations' boards.

use super::error::{ImportError, Location};
use super::folder::Source;
use super::ids::SeenIds;
use super::run::{LineAction, Run, refer, refer_user};
use obeya_store::search;
use obeya_store::tables::boards::{AxisLine, BoardLine, BoardRow};

/// Reads `boards.jsonl`.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut seen = SeenIds::default();
    run.each(source, |run, location, mut line: BoardLine| {
        let exists = run.known.boards.contains(&line.id);
        let action = run.action(location, &mut seen, &line.id, exists)?;
        if action == LineAction::Skip {
            return Ok(());
        }
        refer(
            location,
            "groupId",
            line.group_id,
            &run.known.groups,
            "a group",
        )?;
        run.known.boards.insert(line.id);
        let rows = std::mem::take(&mut line.rows);
        let columns = std::mem::take(&mut line.columns);
        let row = BoardRow::from_line(line);
        run.execute(&BoardRow::statements().upsert, &row.cells())?;
        if action == LineAction::Replace {
            run.execute(
                "DELETE FROM board_lines WHERE board_id = ?1",
                &[row.id.into()],
            )?;
        }
        lines(run, location, row.id, "row", "rows", &rows)?;
        lines(run, location, row.id, "column", "columns", &columns)?;
        search::put_board(
            run.session,
            row.id,
            row.name.as_deref(),
            row.description.as_deref(),
        )?;
        Ok(())
    })
}

fn lines(
    run: &mut Run<'_>,
    location: Location<'_>,
    board: i32,
    axis: &str,
    field: &str,
    lines: &[AxisLine],
) -> Result<(), ImportError> {
    for (position, line) in lines.iter().enumerate() {
        if lines[..position].iter().any(|other| other.id == line.id) {
            return Err(location.field_error(
                &format!("{field}[{position}].id"),
                format_args!("{} twice", line.id),
                "each id once",
            ));
        }
        let user = line.responsible_user_id.as_deref();
        refer_user(
            location,
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
