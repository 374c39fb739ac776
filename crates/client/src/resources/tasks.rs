//! Tasks.

use bytes::Bytes;
use obeya_api::call;
use obeya_model::{Task, TaskAttachment, TaskDeletionMode, TaskInfo};

use super::Tasks;
use crate::edit::{Edit, EditTarget};
use crate::error::Result;

impl Tasks {
    /// Changes some properties of a task, by its id or as v1 shows it.
    pub fn edit(&self, task: impl Into<EditTarget<TaskInfo>>) -> Edit<TaskInfo> {
        Edit::new(self.client.clone(), 0, task)
    }

    /// Changes some properties of a task, by its id or as v2 shows it.
    pub fn edit_v2(&self, task: impl Into<EditTarget<Task>>) -> Edit<Task> {
        Edit::new(self.client.clone(), 0, task)
    }

    /// `POST /v2/tasks/{taskId}/attachments`: attaches a file to a task. The extension of its name says its
    /// type; `name` is `offer.pdf`, for example.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn add_attachment(
        &self,
        id: i32,
        name: &str,
        content: &[u8],
    ) -> Result<TaskAttachment> {
        let file = call::Upload { name, content };
        let call = call::CreateTaskAttachment { task_id: id, file };
        self.client.call(&call).await
    }

    /// `GET /v2/tasks/{taskId}/attachments/{taskAttachmentId}/content`: the content of an attachment of a
    /// task.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn attachment_content(&self, id: i32, attachment: i32) -> Result<Bytes> {
        let call = call::GetTaskAttachmentContent::new(id, attachment);
        self.client.call(&call).await
    }

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
