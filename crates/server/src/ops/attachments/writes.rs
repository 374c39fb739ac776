//! Attaching files to incidents and tasks, and removing them.

use std::sync::Arc;

use obeya_model::Timestamp;

use super::{NOUN, answer, missing};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::NoBody;
use crate::ops::uploads::{File, UploadedFile};
use crate::ops::view::WrittenRecord;
use crate::ops::writing::{self, Decision, Written};
use obeya_rules::attachment::{MOST_PER_RECORD, Misfit, file_name};
use obeya_rules::error::{Complaint, DomainError};
use obeya_store::attachments::{self, Owner};
use obeya_store::audit::{Change, Diff};
use obeya_store::random::random;
use obeya_store::tables::attachments::AttachmentRow;
use obeya_store::wire::timestamp;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, incidents, stamp, tasks};

/// POST /v2/incidents/{incidentId}/attachments
pub(crate) async fn create_of_incident(call: Call) -> Result<Response, Problem> {
    let incident = call.id()?;
    create(call, Owner::Incident(incident)).await
}

/// POST /v2/tasks/{taskId}/attachments
pub(crate) async fn create_of_task(call: Call) -> Result<Response, Problem> {
    let task = call.id()?;
    create(call, Owner::Task(task)).await
}

/// DELETE /v2/incidents/{incidentId}/attachments/{incidentAttachmentId}
pub(crate) async fn delete_of_incident(call: Call) -> Result<Response, Problem> {
    let incident = call.id()?;
    delete(call, Owner::Incident(incident)).await
}

/// DELETE /v2/tasks/{taskId}/attachments/{taskAttachmentId}
pub(crate) async fn delete_of_task(call: Call) -> Result<Response, Problem> {
    let task = call.id()?;
    delete(call, Owner::Task(task)).await
}

async fn create(call: Call, owner: Owner) -> Result<Response, Problem> {
    writing::write(call, File, |file, context| {
        let attachment = checked(&file, owner, context.now)?;
        let (content, now) = (Arc::new(file.content), context.now);
        Ok(Decision::record(
            move |session, id| answer(session, owner, id),
            move |session| insert(session, owner, &attachment, &content, now),
        ))
    })
    .await
}

/// The attachment of a file whose name and content are those of a type that may be attached.
fn checked(file: &UploadedFile, owner: Owner, now: i64) -> Result<AttachmentRow, WriteError> {
    let parts = file_name(&file.name).map_err(|misfit| refused(&misfit))?;
    parts
        .media_type
        .check(&file.content)
        .map_err(|misfit| refused(&misfit))?;
    let (incident_id, task_id) = match owner {
        Owner::Incident(id) => (Some(id), None),
        Owner::Task(id) => (None, Some(id)),
    };
    Ok(AttachmentRow {
        id: 0,
        incident_id,
        task_id,
        file_id: random::<16>(),
        name: parts.name.to_owned(),
        file_extension: parts.extension.to_owned(),
        content_type: parts.media_type.name.to_owned(),
        file_size_in_bytes: i64::try_from(file.content.len()).unwrap_or(i64::MAX),
        sha256: file.sha256.clone(),
        created_date: timestamp(now).unwrap_or_else(|_| Timestamp::now()),
        // An API client is not a user.
        created_by_user_id: None,
    })
}

fn refused(misfit: &Misfit) -> DomainError {
    DomainError::Invalid(vec![Complaint {
        field: "file".to_owned(),
        text: format!("expected {}, found {}", misfit.expected, misfit.found),
    }])
}

fn insert(
    session: &mut dyn Session,
    owner: Owner,
    attachment: &AttachmentRow,
    content: &[u8],
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    let stamped = stamp_of(session, owner)?;
    let present = attachments::count(session, owner)?;
    if present >= MOST_PER_RECORD {
        let detail = format!(
            "It has {present} attachments; expected fewer than {MOST_PER_RECORD}. Delete some first."
        );
        return Err(DomainError::Conflict {
            code: "attachment.too_many",
            detail,
        }
        .into());
    }
    let id = attachments::insert(session, attachment, content)?;
    touch(session, owner, now, stamped)?;
    let change = changed(owner, id, None, Some(attachment));
    Ok(Written::changed(change, move |session| {
        answer(session, owner, id)
    }))
}

async fn delete(call: Call, owner: Owner) -> Result<Response, Problem> {
    let id = call.id_at(1)?;
    writing::write(call, NoBody, |(), context| {
        let now = context.now;
        let work = move |session: &mut dyn Session| {
            let stamped = stamp_of(session, owner)?;
            let attachment = attachments::find(session, owner, id)?.ok_or(missing(id))?;
            attachments::delete(session, id)?;
            touch(session, owner, now, stamped)?;
            Ok::<_, WriteError>(changed(owner, id, Some(&attachment), None))
        };
        Ok(Decision::empty(work).against(move |session| {
            attachments::find(session, owner, id)?.ok_or(missing(id))?;
            answer(session, owner, id)
        }))
    })
    .await
}

/// The stamp of the record, or that it does not exist.
fn stamp_of(session: &mut dyn Session, owner: Owner) -> Result<i64, WriteError> {
    match owner {
        Owner::Incident(id) => incidents::find(session, id)?
            .map(|incident| incident.last_modified)
            .ok_or(WriteError::Missing("incident", id.into())),
        Owner::Task(id) => tasks::find(session, id)?
            .map(|task| task.last_modified)
            .ok_or(WriteError::Missing("task", id.into())),
    }
}

/// Stamps the record, which changes with its attachments.
fn touch(
    session: &mut dyn Session,
    owner: Owner,
    now: i64,
    stamped: i64,
) -> Result<(), WriteError> {
    let stamp = stamp::next(session, now, stamped)?;
    match owner {
        Owner::Incident(id) => {
            // What is here counts from now on, also when all of it is deleted.
            attachments::forget_imported_number(session, id)?;
            incidents::touch(session, id, stamp)?;
        }
        Owner::Task(id) => tasks::touch(session, id, stamp)?,
    }
    Ok(())
}

/// The change, for the audit log: what is known of the file and its digest, and never its content.
fn changed(
    owner: Owner,
    id: i32,
    before: Option<&AttachmentRow>,
    after: Option<&AttachmentRow>,
) -> Change {
    let record = match owner {
        Owner::Incident(incident) => format!("incidents/{incident}/{NOUN}s/{id}"),
        Owner::Task(task) => format!("tasks/{task}/{NOUN}s/{id}"),
    };
    let (before, after) = (
        before.map(AttachmentRow::cells),
        after.map(AttachmentRow::cells),
    );
    let diff = Diff::default().rows(
        &AttachmentRow::TABLE,
        before.as_ref().map(|cells| &cells[..]),
        after.as_ref().map(|cells| &cells[..]),
    );
    Change::of(record, diff)
}
