//! Boards.

use obeya_model::{Board, BoardDetail, BoardPaginationResult, BoardSummary};

use crate::bridge;
use crate::error::Result;
use crate::list::{Get, List};

resource! {
    /// Boards; from [`Client::boards`](crate::Client::boards).
    Boards
}

impl Boards {
    /// `GET /v2/boards`. Expands `group`.
    pub fn list(&self) -> List<Board> {
        List::new(self.client.clone(), None)
    }

    /// `GET /v1/Boards`: every board in one answer, with its description and the name of its group.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn list_v1(&self) -> Result<Vec<BoardSummary>> {
        let outcome = obeya_api::call::ListBoardsV1 {}
            .send(self.client.api())
            .await;
        bridge::finish(obeya_api::call::ListBoardsV1::OPERATION, outcome)
    }

    /// `GET /v2/boards/{boardId}`. Expands `group`.
    pub fn get(&self, id: i32) -> Get<Board> {
        Get::new(self.client.clone(), id)
    }

    /// `GET /v1/Boards/{id}`: the board with its rows and columns.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn detail(&self, id: i32) -> Result<BoardDetail> {
        let call = obeya_api::call::GetBoardDetail { id };
        bridge::finish(
            obeya_api::call::GetBoardDetail::OPERATION,
            call.send(self.client.api()).await,
        )
    }
}

odata_resource! {
    Board, BoardPaginationResult,
    list: |_parent| (_) => ListBoards() at "/v2/boards".to_owned();
    get: GetBoard
}
