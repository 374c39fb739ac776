//! `boards.jsonl`.

use super::error::ExportError;
use super::folder::JsonlWriter;
use super::read::records;
use obeya_store::engine::{Row, Session, StoreError, present};
use obeya_store::field::Derived;
use obeya_store::tables::boards::{AxisLine, BoardRow};

const LINE: &str = "axis, id, name, week_day, is_column_category, style, sort_order, responsible_user_id FROM board_lines";

/// Writes `boards.jsonl`.
pub(super) fn write(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    let what = &BoardRow::statements().columns_from;
    let board = |row: &dyn Row| BoardRow::read(row).map(BoardRow::into_line);
    records(session, what, board, |session, mut boards| {
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
            .try_for_each(|(id, board)| out.write(id, &board))
    })
}

fn line(row: &dyn Row) -> Result<AxisLine, StoreError> {
    Ok(AxisLine {
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
