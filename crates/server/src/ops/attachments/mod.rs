//! Files attached to incidents and tasks. An attachment of a record in the trash is as if it did not exist.

mod disposition;
pub(crate) mod reads;
pub(crate) mod writes;

use super::view::WrittenRecord;
use obeya_read::{RecordForm, RecordPlan};
use obeya_store::attachments::Owner;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, entities};

static FORM: RecordForm = RecordForm::of(&entities::ATTACHMENT);
static OF_INCIDENT: RecordPlan = RecordPlan::new(RecordForm::of(&entities::INCIDENT_ATTACHMENT));
static OF_TASK: RecordPlan = RecordPlan::new(RecordForm::of(&entities::TASK_ATTACHMENT));

/// How messages call an attachment.
const NOUN: &str = "attachment";

/// The attachment, as a record. Its address is that of its content.
fn answer(session: &mut dyn Session, owner: Owner, id: i32) -> Result<WrittenRecord, WriteError> {
    let plan = match owner {
        Owner::Incident(_) => &OF_INCIDENT,
        Owner::Task(_) => &OF_TASK,
    };
    let json = plan.read(session, id)?.ok_or(missing(id))?;
    Ok(WrittenRecord::new(plan.entity(), id, json).followed_by("/content"))
}

fn missing(id: i32) -> WriteError {
    WriteError::Missing(NOUN, id.into())
}
