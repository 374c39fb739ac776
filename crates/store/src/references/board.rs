//! Checks that a board exists, and a row and a column of it.

use super::{Found, References, complaint};
use crate::{StoreError, entities};

impl References<'_> {
    /// Checks that the board exists, if the body refers to one.
    pub fn board(&mut self, field: &str, id: Option<i32>) -> Result<(), StoreError> {
        let Some(id) = id else { return Ok(()) };
        let sql = "SELECT 1 FROM boards WHERE id = ?1";
        let exists = !matches!(self.look(sql, &[id.into()])?, Found::Nothing)
            && self.grants.show(self.session, &entities::BOARD, id)?;
        if !exists {
            self.unknown
                .push(complaint(field, format!("there is no board {id}")));
        }
        Ok(())
    }

    /// Checks that the board has this row (or column, by the `axis`), if the body refers to one.
    pub fn line(
        &mut self,
        field: &str,
        board: Option<i32>,
        axis: &str,
        id: Option<i32>,
    ) -> Result<(), StoreError> {
        let Some(id) = id else { return Ok(()) };
        let Some(board) = board else {
            let text = format!("there is no {axis} {id}, as there is no board");
            self.unknown.push(complaint(field, text));
            return Ok(());
        };
        let sql = "SELECT 1 FROM board_lines WHERE board_id = ?1 AND axis = ?2 AND id = ?3";
        let found = self.look(sql, &[board.into(), axis.into(), id.into()])?;
        if let Found::Nothing = found {
            self.unknown.push(complaint(
                field,
                format!("board {board} has no {axis} {id}"),
            ));
        }
        Ok(())
    }
}
