//! `attachments.jsonl`: attachments of incidents and tasks, whose contents are in a folder beside it.

use std::collections::{BTreeSet, HashSet};

use obeya_rules::attachment::{LARGEST_CONTENT, MediaType, Misfit, file_name};
use obeya_store::attachments::{Owner, put_content};
use obeya_store::tables::attachments::{AttachmentLine, AttachmentRow};
use obeya_store::{incidents, sha256, tasks};

use super::error::{ImportError, Location};
use super::folder::{Content, Source};
use super::ids::SeenIds;
use super::run::{LineAction, Run, leaves_ids, length, refer, refer_user};
use crate::jsonl::{CONTENTS, content_name};

/// The lengths of a `fileId`.
const FILE_ID: std::ops::RangeInclusive<usize> = 1..=255;

/// Reads `attachments.jsonl` and the contents.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut seen = SeenIds::default();
    let mut named = HashSet::new();
    let mut changed = BTreeSet::new();
    run.each(source, |run, location, line: AttachmentLine| {
        leaves_ids(location, "id", line.id, "attachments")?;
        let exists = run.known.attachments.contains(&line.id);
        let action = run.action(location, &mut seen, &line.id, exists)?;
        let content_file = content_name(line.id, &line.file_extension);
        named.insert(content_file.clone());
        if action == LineAction::Skip {
            return Ok(());
        }
        let owner = owner(run, location, &line)?;
        let media_type = media_type(location, &line)?;
        let user = line.created_by_user_id.as_deref();
        refer_user(location, "createdByUserId", user, &run.known.users)?;
        let content = content(location, source, &content_file)?;
        let row = checked(location, line, media_type, &content)?;
        if action == LineAction::Replace {
            let before = &AttachmentRow::statements().find;
            let before = run
                .session
                .first(before, &[row.id.into()], AttachmentRow::read)?;
            if let Some(before) = before {
                changed.extend(Owner::of(&before));
                run.known.files.remove(&before.file_id);
            }
        }
        let row = AttachmentRow {
            file_id: file_id(run, location, &row)?,
            ..row
        };
        changed.insert(owner);
        run.known.attachments.insert(row.id);
        run.execute(&AttachmentRow::statements().upsert, &row.cells())?;
        put_content(run.session, row.id, &content)?;
        Ok(())
    })?;
    if let Some(name) = source.content_without_line(&named)? {
        return Err(ImportError::Files(format!(
            "found {CONTENTS}/{name}, expected a line of {} that names it",
            source.name
        )));
    }
    touch(run, &changed)
}

/// The record that a file is attached to.
fn owner(
    run: &Run<'_>,
    location: Location<'_>,
    line: &AttachmentLine,
) -> Result<Owner, ImportError> {
    let known = &run.known;
    refer(
        location,
        "incidentId",
        line.incident_id,
        &known.incidents,
        "an incident",
    )?;
    refer(location, "taskId", line.task_id, &known.tasks, "a task")?;
    match (line.incident_id, line.task_id) {
        (Some(id), None) => Ok(Owner::Incident(id)),
        (None, Some(id)) => Ok(Owner::Task(id)),
        (None, None) => {
            Err(location.field_error("incidentId", "neither it nor taskId", "one of them"))
        }
        (Some(_), Some(task)) => Err(location.field_error(
            "taskId",
            format_args!("{task} beside an incidentId"),
            "one of them",
        )),
    }
}

/// The type that the name says.
fn media_type(
    location: Location<'_>,
    line: &AttachmentLine,
) -> Result<&'static MediaType, ImportError> {
    let extension = line.file_extension.as_str();
    let whole = format!("{}.{extension}", line.name);
    let parts = file_name(&whole).map_err(|misfit| misfits(location, "name", &misfit))?;
    if parts.extension != extension {
        let found = format_args!("\"{extension}\"");
        return Err(location.field_error("fileExtension", found, "the text after the last dot"));
    }
    Ok(parts.media_type)
}

fn misfits(location: Location<'_>, field: &str, misfit: &Misfit) -> ImportError {
    location.field_error(field, &misfit.found, &misfit.expected)
}

fn content(location: Location<'_>, source: &Source, name: &str) -> Result<Vec<u8>, ImportError> {
    let expected =
        format_args!("the content of the attachment, of at most {LARGEST_CONTENT} bytes");
    match source.content(name, LARGEST_CONTENT)? {
        Content::Whole(content) => Ok(content),
        Content::Missing => {
            let found = format_args!("no file {CONTENTS}/{name} in the folder");
            Err(location.line_error(found, expected))
        }
        Content::TooLarge(bytes) => {
            let found = format_args!("{bytes} bytes in {CONTENTS}/{name}");
            Err(location.line_error(found, expected))
        }
    }
}

/// The row of a line, with the type, the size and the digest of its content, which the line may repeat.
fn checked(
    location: Location<'_>,
    line: AttachmentLine,
    media_type: &MediaType,
    content: &[u8],
) -> Result<AttachmentRow, ImportError> {
    media_type
        .check(content)
        .map_err(|misfit| misfits(location, "fileExtension", &misfit))?;
    let size = i64::try_from(content.len()).unwrap_or(i64::MAX);
    let sha256 = sha256::hex(&[content]);
    if let Some(found) = &line.content_type
        && found != media_type.name
    {
        let found = format_args!("\"{found}\"");
        return Err(location.field_error("contentType", found, media_type.name));
    }
    if let Some(found) = line.file_size_in_bytes
        && found != size
    {
        return Err(location.field_error(
            "fileSizeInBytes",
            found,
            format_args!("{size}, the size of the content"),
        ));
    }
    if let Some(found) = &line.sha256
        && *found != sha256
    {
        let expected = format_args!("{sha256}, the digest of the content");
        return Err(location.field_error("sha256", found, expected));
    }
    Ok(AttachmentRow {
        content_type: media_type.name.to_owned(),
        file_size_in_bytes: size,
        sha256,
        ..AttachmentRow::from_line(line)
    })
}

/// The text that names the file; its id if the line has none. No two files have the same.
fn file_id(
    run: &mut Run<'_>,
    location: Location<'_>,
    row: &AttachmentRow,
) -> Result<String, ImportError> {
    const FIELD: &str = "fileId";
    let file = match row.file_id.as_str() {
        "" => row.id.to_string(),
        given => given.to_owned(),
    };
    length(location, FIELD, Some(&file), &FILE_ID)?;
    if let Some(other) = run.known.files.get(&file) {
        let found = format_args!("\"{file}\", that of attachment {other}");
        return Err(location.field_error(FIELD, found, "a text of no other attachment"));
    }
    run.known.files.insert(file.clone(), row.id);
    Ok(file)
}

/// A record changes with its attachments, so records that existed before get a new stamp.
fn touch(run: &mut Run<'_>, changed: &BTreeSet<Owner>) -> Result<(), ImportError> {
    for owner in changed {
        match *owner {
            Owner::Incident(id) if !run.collected.incidents.contains(&id) => {
                let stamp = run.stamps.own();
                incidents::touch(run.session, id, stamp)?;
            }
            Owner::Task(id) if !run.collected.tasks.contains(&id) => {
                let stamp = run.stamps.own();
                tasks::touch(run.session, id, stamp)?;
            }
            Owner::Incident(_) | Owner::Task(_) => {}
        }
    }
    Ok(())
}
