//! Tasks.

use obeya_api::call;
use obeya_model::TaskDeletionMode;

use super::Tasks;
use crate::error::Result;

impl Tasks {
    /// `DELETE /v2/tasks/{taskId}`: deletes a task; `mode` decides what becomes of its sub-tasks. Without one
    /// they are deleted with it.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn delete_v2(
        &self,
        id: i32,
        mode: impl Into<Option<TaskDeletionMode>>,
    ) -> Result<()> {
        let mode = mode.into();
        let mut call = call::DeleteTaskV2::new(id);
        call.mode = mode.as_ref();
        self.client.call(&call).await
    }
}
