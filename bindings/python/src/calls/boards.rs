//! Boards.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{Id, Names, get, list};
use crate::call::Call;
use crate::handle::Handle;
use crate::lists::Query;
use crate::models::Board;

#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct BoardCalls(pub(crate) Handle);

#[pymethods]
impl BoardCalls {
    #[pyo3(signature = (**options))]
    fn list(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<Query> {
        list(&self.0, self.0.client()?.boards().list(), options)
    }

    fn list_v1(&self) -> PyResult<Query> {
        let boards = self.0.client()?.boards();
        Ok(Query::whole(&self.0, "listBoardsV1", move || {
            let boards = boards.clone();
            async move { boards.list_v1().await }
        }))
    }

    #[pyo3(signature = (board, select, expand, /))]
    fn get(
        &self,
        board: Id<Board>,
        select: Option<Names>,
        expand: Option<Names>,
    ) -> PyResult<Call> {
        self.0
            .call(move |client| get(client.boards().get(board.0), select, expand).send())
    }

    #[pyo3(signature = (board, /))]
    fn detail(&self, board: Id<Board>) -> PyResult<Call> {
        self.0
            .call(move |client| async move { client.boards().detail(board.0).await })
    }
}
