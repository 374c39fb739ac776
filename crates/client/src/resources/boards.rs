//! Boards.

use super::Boards;
use crate::board_tasks::BoardTasks;

impl Boards {
    /// `GET /v1/Boards/{id}/tasks`: the tasks of a board.
    pub fn tasks(&self, id: i32) -> BoardTasks {
        BoardTasks::new(self.client.clone(), id)
    }
}
