//! Tasks. A task of an incident in the trash is as if it did not exist.

mod body;
pub(crate) mod reads;
pub(crate) mod writes;

use super::view::WrittenRecord;
use obeya_read::{RecordForm, RecordPlan};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, entities};

static FORM: RecordForm = RecordForm::of(&entities::TASK_INFO);
static RECORD: RecordPlan = RecordPlan::new(RecordForm::of(&entities::TASK_INFO));

/// The address of a task is below this one, wherever it was created.
const COLLECTION: &str = "/v1/Tasks";

/// The current task, as a record.
fn answer(session: &mut dyn Session, id: i32) -> Result<WrittenRecord, WriteError> {
    let json = RECORD.read(session, id)?.ok_or(missing(id))?;
    Ok(WrittenRecord::new(RECORD.entity(), id, json).below(COLLECTION))
}

fn missing(id: i32) -> WriteError {
    WriteError::Missing("task", id.into())
}
