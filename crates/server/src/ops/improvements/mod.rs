//! Improvements.

mod body;
pub(crate) mod reads;
pub(crate) mod writes;

use super::view::WrittenRecord;
use obeya_read::{RecordForm, RecordPlan};
use obeya_store::Session;
use obeya_store::entities;
use obeya_store::write_error::WriteError;

const FORM: RecordForm = RecordForm::of(&entities::IMPROVEMENT);
static RECORD: RecordPlan = RecordPlan::new(FORM);

/// The current improvement, as a record.
fn answer(session: &mut dyn Session, id: i32) -> Result<WrittenRecord, WriteError> {
    let json = RECORD.read(session, id)?.ok_or(missing(id))?;
    Ok(WrittenRecord::new(RECORD.entity(), id, json))
}

fn missing(id: i32) -> WriteError {
    WriteError::Missing("improvement", id.into())
}
