//! Reading attachments and their contents.

use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, ETAG};
use http::{HeaderValue, StatusCode};
use obeya_odata::sql::{Predicate, Value};

use super::{FORM, NOUN, disposition};
use crate::http::body::{Body, Response};
use crate::http::etag::{Condition, Tag};
use crate::http::memory_budget::Reservation;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::gate::Gate;
use crate::ops::incidents::reads::parent;
use crate::ops::reading;
use obeya_read::{ReadError, Records, check_options};
use obeya_store::Session;
use obeya_store::attachments::{self, Owner};
use obeya_store::tables::attachments::AttachmentRow;

/// GET /v1/Incidents/{id}/attachments: 404 if the incident is unknown or in the trash.
pub(crate) async fn list_of_incident(call: Call) -> Result<Response, Problem> {
    let incident = call.id()?;
    reading::read(call, |request| {
        let of_incident = Predicate::new("{t}.incident_id = ?", [Value::Int(incident.into())]);
        Ok(Records::in_order(request, &FORM, "$orderby=createdDate")?
            .only(of_incident)
            .under(parent(incident)))
    })
    .await
}

/// GET /v2/incidents/{incidentId}/attachments/{incidentAttachmentId}/content
pub(crate) async fn content_of_incident(call: Call) -> Result<Response, Problem> {
    let incident = call.id()?;
    content(call, Owner::Incident(incident)).await
}

/// GET /v2/tasks/{taskId}/attachments/{taskAttachmentId}/content
pub(crate) async fn content_of_task(call: Call) -> Result<Response, Problem> {
    let task = call.id()?;
    content(call, Owner::Task(task)).await
}

/// A content that was read, unless the client has it already.
struct Found {
    attachment: AttachmentRow,
    content: Option<(Vec<u8>, Reservation)>,
}

async fn content(call: Call, owner: Owner) -> Result<Response, Problem> {
    let id = call.id_at(1)?;
    check_options(call.query(), &[], &call.app.config.limits.query)?;
    let known = Condition::if_none_match(call.headers());
    let (gate, memory) = (Gate::of(&call), call.answer_memory());
    // A content may be large, so it is read on the blocking pool.
    let read = move |session: &mut dyn Session| {
        gate.check(session, ReadError::NotFound)?;
        let attachment =
            attachments::find(session, owner, id)?.ok_or(ReadError::NotFound(NOUN, id.into()))?;
        let tag = Tag::of_digest(&attachment.sha256);
        if known.is_some_and(|known| known.names_weakly(&tag)) {
            return Ok(Found {
                attachment,
                content: None,
            });
        }
        let mut memory = memory;
        let bytes = usize::try_from(attachment.file_size_in_bytes).unwrap_or(usize::MAX);
        memory.try_add(bytes).map_err(|_| ReadError::OutOfMemory)?;
        let content =
            attachments::content(session, id)?.ok_or(ReadError::NotFound(NOUN, id.into()))?;
        Ok::<_, ReadError>(Found {
            attachment,
            content: Some((content, memory)),
        })
    };
    send(call.store().read(read).await?)
}

/// The response with a content: the type that was checked when it came, and a name under which it is saved.
fn send(found: Found) -> Result<Response, Problem> {
    let Found {
        attachment,
        content,
    } = found;
    let mut response = Response::new(Body::empty());
    match content {
        Some((content, memory)) => {
            let headers = response.headers_mut();
            headers.insert(CONTENT_TYPE, media_type(&attachment.content_type)?);
            let name = attachment.file_name();
            headers.insert(CONTENT_DISPOSITION, disposition::attachment(&name));
            *response.body_mut() = Body::from(memory.of_whole(content)?);
        }
        None => *response.status_mut() = StatusCode::NOT_MODIFIED,
    }
    let tag = Tag::of_digest(&attachment.sha256);
    response.headers_mut().insert(ETAG, tag.header());
    Ok(response)
}

/// The media type of a content as a header. Texts were checked to be UTF-8.
fn media_type(name: &str) -> Result<HeaderValue, Problem> {
    let charset = match name.starts_with("text/") {
        true => "; charset=utf-8",
        false => "",
    };
    HeaderValue::try_from(format!("{name}{charset}")).map_err(Problem::internal)
}
