//! Statements over boards.

use obeya_model::{BoardDetail, BoardLine};

use super::engine::present;
use super::{Session, StoreError};

/// Whether there is a board of this id.
pub fn exists(session: &mut dyn Session, id: i32) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM boards WHERE id = ?1";
    Ok(session.first(sql, &[id.into()], |_| Ok(()))?.is_some())
}

/// The board with its rows and columns, each in their sort order.
pub fn detail(session: &mut dyn Session, id: i32) -> Result<Option<BoardDetail>, StoreError> {
    let sql = "SELECT b.id, b.name, b.description, b.board_type, b.is_public, b.group_id, g.name
        FROM boards AS b LEFT JOIN groups AS g ON g.id = b.group_id WHERE b.id = ?1";
    let board = session.first(sql, &[id.into()], |row| {
        Ok(BoardDetail {
            id: present(row.int32(0)?)?,
            name: row.string(1)?,
            description: row.string(2)?,
            board_type: row.text(3)?.map(Into::into),
            is_public: row.flag(4)?,
            group_id: row.int32(5)?,
            group_name: row.string(6)?,
            rows: Vec::new(),
            columns: Vec::new(),
        })
    })?;
    let Some(mut board) = board else {
        return Ok(None);
    };
    board.rows = lines(session, id, "row")?;
    board.columns = lines(session, id, "column")?;
    Ok(Some(board))
}

fn lines(
    session: &mut dyn Session,
    board_id: i32,
    axis: &str,
) -> Result<Vec<BoardLine>, StoreError> {
    // A line without a sort order comes last, on every engine.
    let sql = "SELECT l.id, l.name, l.week_day, l.is_column_category, l.style, l.sort_order, l.responsible_user_id, u.user_name
        FROM board_lines AS l LEFT JOIN users AS u ON u.id = l.responsible_user_id
        WHERE l.board_id = ?1 AND l.axis = ?2
        ORDER BY CASE WHEN l.sort_order IS NULL THEN 1 ELSE 0 END, l.sort_order, l.id";
    session.all(sql, &[board_id.into(), axis.into()], |row| {
        Ok(BoardLine {
            id: present(row.int32(0)?)?,
            name: row.string(1)?,
            week_day: row.string(2)?,
            is_column_category: row.flag(3)?,
            style: row.string(4)?,
            sort_order: row.int32(5)?,
            responsible_user_id: row.string(6)?,
            responsible_user: row.string(7)?,
        })
    })
}
