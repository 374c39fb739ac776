//! Boards.

use pyo3::prelude::*;

use crate::arguments::{Id, Moment};
use crate::handle::Handle;
use crate::lists::Query;
use crate::models::Board;
use crate::top::Top;

#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct BoardCalls(pub(crate) Handle);

#[pymethods]
impl BoardCalls {
    #[pyo3(signature = (board, /, *, due_start, due_end, page_size, top))]
    fn tasks(
        &self,
        board: Id<Board>,
        due_start: Option<Moment>,
        due_end: Option<Moment>,
        page_size: Option<i32>,
        top: Option<Top>,
    ) -> PyResult<Query> {
        let mut list = self.0.client()?.boards().tasks(board.0);
        if let Some(bound) = due_start {
            list = list.due_from(bound.after());
        }
        if let Some(bound) = due_end {
            list = list.due_to(bound.before());
        }
        if let Some(tasks) = page_size {
            list = list.page_size(tasks);
        }
        Ok(Query::numbered(&self.0, list, top, obeya::BoardTasks::top))
    }
}
