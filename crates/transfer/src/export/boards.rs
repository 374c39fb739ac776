//! `boards.jsonl`.

use super::error::ExportError;
use super::folder::Lines;
use super::read::{records, word};
use crate::lines::boards::{BoardLine, Row as Line};
use obeya_store::engine::{Row, Session, StoreError, present};
use obeya_store::field::Derived;

const BOARD: &str = "id, name, description, board_type, is_public, is_member, group_id, business_unit_id, project_id FROM boards";
const LINE: &str = "axis, id, name, week_day, is_column_category, style, sort_order, responsible_user_id FROM board_lines";

/// Writes `boards.jsonl`.
pub(super) fn write(session: &mut dyn Session, out: &mut Lines<'_>) -> Result<(), ExportError> {
    records(session, BOARD, board, |session, mut boards| {
        boards.parts(session, LINE, "board_id", "axis, id", |board, row| {
            let lines = match row.text(1)? {
                Some("row") => &mut board.rows,
                _ => &mut board.columns,
            };
            lines.push(line(row)?);
            Ok(())
        })?;
        boards
            .into_iter()
            .try_for_each(|(id, board)| out.put(id, &board))
    })
}

fn board(row: &dyn Row) -> Result<BoardLine, StoreError> {
    Ok(BoardLine {
        id: present(row.int32(0)?)?,
        name: row.string(1)?,
        description: row.string(2)?,
        board_type: word(row, 3)?,
        is_public: row.flag(4)?,
        is_member: row.flag(5)?,
        group_id: row.int32(6)?,
        _group_name: Derived,
        business_unit_id: row.int32(7)?,
        project_id: row.int32(8)?,
        rows: Vec::new(),
        columns: Vec::new(),
    })
}

fn line(row: &dyn Row) -> Result<Line, StoreError> {
    Ok(Line {
        id: present(row.int32(2)?)?,
        name: row.string(3)?,
        week_day: row.string(4)?,
        is_column_category: row.flag(5)?,
        style: row.string(6)?,
        sort_order: row.int32(7)?,
        responsible_user_id: row.string(8)?,
        _responsible_user: Derived,
    })
}
