//! Projects. An address names one by its number.

mod body;
pub(crate) mod milestones;
pub(crate) mod reads;
pub(crate) mod writes;

use super::view::WrittenRecord;
use obeya_read::{RecordForm, RecordPlan};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, entities, projects};

static FORM: RecordForm = RecordForm::of(&entities::PROJECT);
static RECORD: RecordPlan = RecordPlan::new(RecordForm::of(&entities::PROJECT));

/// The id of the project of this number.
pub(in crate::ops) fn id_of(session: &mut dyn Session, number: &str) -> Result<i32, WriteError> {
    let id = projects::id_of(session, number)?;
    id.ok_or_else(|| WriteError::Missing("project", number.into()))
}

/// The current project, as a record.
fn answer(session: &mut dyn Session, id: i32) -> Result<WrittenRecord, WriteError> {
    let missing = WriteError::Missing("project", id.into());
    let json = RECORD.read(session, id)?.ok_or(missing)?;
    let number = projects::number_of(session, id)?;
    Ok(WrittenRecord::new(RECORD.entity(), id, json).named(number))
}
