//! Tasks.

use obeya::model::TaskDeletionMode;
use pyo3::prelude::*;

use crate::arguments::Id;
use crate::call::Call;
use crate::handle::Handle;
use crate::models::TaskInfo;

#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct TaskCalls(pub(crate) Handle);

#[pymethods]
impl TaskCalls {
    #[pyo3(signature = (if_match, idempotency_key, /))]
    fn carrying(&self, if_match: Option<String>, idempotency_key: Option<String>) -> Self {
        Self(self.0.carrying(if_match, idempotency_key))
    }

    #[pyo3(signature = (task, mode, /))]
    fn delete_v2(&self, task: Id<TaskInfo>, mode: Option<&str>) -> PyResult<Call> {
        let mode = mode.map(TaskDeletionMode::from);
        self.0
            .call(move |client| async move { client.tasks().delete_v2(task.0, mode).await })
    }
}
