//! The calls that send a file, which the generator does not know. They are part of [`crate::call`].

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use progenitor_client::ClientInfo as _;
use reqwest::Method;
use serde::de::DeserializeOwned;

use crate::{Call, Client, Error, Operation, Reply, reply, types};

/// A file to send: its name and its content.
#[derive(Clone, Copy, Debug)]
pub struct Upload<'a> {
    /// Its name, with the extension that says its type.
    pub name: &'a str,
    /// Its content.
    pub content: &'a [u8],
}

/// Attach a file to an incident: `POST /v2/incidents/{incidentId}/attachments`.
#[derive(Clone, Copy, Debug)]
pub struct CreateIncidentAttachment<'a> {
    /// `incidentId`: Id of the incident.
    pub incident_id: i32,
    /// The file.
    pub file: Upload<'a>,
}

/// Attach a file to a task: `POST /v2/tasks/{taskId}/attachments`.
#[derive(Clone, Copy, Debug)]
pub struct CreateTaskAttachment<'a> {
    /// `taskId`: Id of the task.
    pub task_id: i32,
    /// The file.
    pub file: Upload<'a>,
}

impl Call for CreateIncidentAttachment<'_> {
    type Output = types::IncidentAttachment;

    const OPERATION: Operation = Operation::CreateIncidentAttachment;

    async fn send(&self, client: &Client) -> Result<Reply<Self::Output>, Error> {
        let path = format!("/v2/incidents/{}/attachments", self.incident_id);
        send(client, Self::OPERATION, &path, self.file).await
    }
}

impl Call for CreateTaskAttachment<'_> {
    type Output = types::TaskAttachment;

    const OPERATION: Operation = Operation::CreateTaskAttachment;

    async fn send(&self, client: &Client) -> Result<Reply<Self::Output>, Error> {
        let path = format!("/v2/tasks/{}/attachments", self.task_id);
        send(client, Self::OPERATION, &path, self.file).await
    }
}

/// Sends a form with the file to this path.
async fn send<T: DeserializeOwned>(
    client: &Client,
    operation: Operation,
    path: &str,
    file: Upload<'_>,
) -> Result<Reply<T>, Error> {
    let (boundary, form) = form(file);
    let url = format!("{}{path}", client.baseurl());
    let request = client
        .client()
        .request(Method::POST, url)
        .header(ACCEPT, "application/json")
        .header(
            CONTENT_TYPE,
            format!("multipart/form-data; boundary={boundary}"),
        )
        .body(form);
    let request = request
        .build()
        .map_err(|error| Error::Request(error.to_string()))?;
    reply::json(client.exchange(operation, request).await?)
}

/// A form with one file (RFC 7578), and its boundary. The same file gives the same form, so that a request
/// that is sent again is the same request.
fn form(file: Upload<'_>) -> (String, Bytes) {
    let is_inside = |boundary: &str| {
        let boundary = boundary.as_bytes();
        file.content
            .windows(boundary.len())
            .any(|part| part == boundary)
    };
    let boundary = (0_u32..)
        .map(|number| format!("obeya-file-{number:08x}"))
        .find(|boundary| !is_inside(boundary))
        .expect("a content has fewer parts than there are boundaries");
    // As the HTML standard encodes the name of a file.
    let name = file
        .name
        .replace('"', "%22")
        .replace('\r', "%0D")
        .replace('\n', "%0A");
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    );
    let end = format!("\r\n--{boundary}--\r\n");
    (
        boundary,
        [head.as_bytes(), file.content, end.as_bytes()]
            .concat()
            .into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_has_the_file_between_a_boundary_that_it_does_not_contain() {
        let file = Upload {
            name: "a\"b.txt",
            content: b"--obeya-file-00000000",
        };
        let (boundary, form) = form(file);
        assert_eq!(boundary, "obeya-file-00000001");
        assert_eq!(
            form,
            "--obeya-file-00000001\r\n\
             Content-Disposition: form-data; name=\"file\"; filename=\"a%22b.txt\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n\
             --obeya-file-00000000\r\n--obeya-file-00000001--\r\n"
        );
    }
}
