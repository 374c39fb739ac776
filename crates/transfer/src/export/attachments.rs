//! `attachments.jsonl`, and the contents in a folder beside it.

use super::ExportOptions;
use super::error::ExportError;
use super::folder::{Contents, JsonlWriter};
use super::read::records;
use crate::jsonl::content_name;
use obeya_store::attachments;
use obeya_store::engine::{Row, Session, StoreError};
use obeya_store::tables::attachments::AttachmentRow;

/// Writes `attachments.jsonl` and the contents.
pub(super) fn write(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
    contents: &mut Contents,
    options: ExportOptions,
) -> Result<(), ExportError> {
    let what = &AttachmentRow::statements().columns_from;
    let attachment = |row: &dyn Row| AttachmentRow::read(row);
    records(session, what, attachment, |session, attachments| {
        for (id, mut attachment) in attachments {
            if !options.with_reporters && is_in_confidence(session, &attachment)? {
                attachment.created_by_user_id = None;
            }
            let Some(content) = attachments::content(session, attachment.id)? else {
                return Err(out.rejected(id, "it has no content".to_owned()));
            };
            let name = content_name(attachment.id, &attachment.file_extension);
            contents.write(&name, &content)?;
            out.write(id, &attachment.into_line())?;
        }
        Ok(())
    })
}

/// Whether who attached it may have reported an anonymous incident.
fn is_in_confidence(
    session: &mut dyn Session,
    attachment: &AttachmentRow,
) -> Result<bool, StoreError> {
    let (Some(incident), Some(_)) = (attachment.incident_id, &attachment.created_by_user_id) else {
        return Ok(false);
    };
    let sql = "SELECT 1 FROM incidents WHERE id = ?1 AND is_anonymous = 1";
    Ok(session
        .first(sql, &[incident.into()], |_| Ok(()))?
        .is_some())
}
