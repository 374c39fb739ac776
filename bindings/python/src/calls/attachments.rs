//! Files attached to incidents and tasks.

use obeya::Client;
use pyo3::prelude::*;

use crate::arguments::Id;
use crate::call::Call;
use crate::handle::Handle;
use crate::models::{IncidentV1, TaskInfo};

#[pyclass(frozen, module = "obeya._obeya")]
pub(crate) struct AttachmentCalls(pub(crate) Handle);

#[pymethods]
impl AttachmentCalls {
    #[pyo3(signature = (incident, name, content, /))]
    fn add_to_incident(
        &self,
        incident: Id<IncidentV1>,
        name: String,
        content: Vec<u8>,
    ) -> PyResult<Call> {
        self.0.call(move |client: Client| async move {
            let incidents = client.incidents();
            incidents.add_attachment(incident.0, &name, &content).await
        })
    }

    #[pyo3(signature = (task, name, content, /))]
    fn add_to_task(&self, task: Id<TaskInfo>, name: String, content: Vec<u8>) -> PyResult<Call> {
        self.0.call(move |client: Client| async move {
            let tasks = client.tasks();
            tasks.add_attachment(task.0, &name, &content).await
        })
    }

    #[pyo3(signature = (incident, attachment, /))]
    fn content_of_incident(&self, incident: Id<IncidentV1>, attachment: i32) -> PyResult<Call> {
        self.0.call(move |client: Client| async move {
            let incidents = client.incidents();
            let content = incidents.attachment_content(incident.0, attachment);
            Ok(content.await?.to_vec())
        })
    }

    #[pyo3(signature = (task, attachment, /))]
    fn content_of_task(&self, task: Id<TaskInfo>, attachment: i32) -> PyResult<Call> {
        self.0.call(move |client: Client| async move {
            let tasks = client.tasks();
            let content = tasks.attachment_content(task.0, attachment);
            Ok(content.await?.to_vec())
        })
    }
}
