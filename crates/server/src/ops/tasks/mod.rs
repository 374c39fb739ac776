//! Tasks. A task of an incident in the trash is as if it did not exist.

mod body;
mod changes;
mod place;
pub(crate) mod reads;
pub(crate) mod v2;
pub(crate) mod writes;

use super::view::WrittenRecord;
use obeya_read::{RecordForm, RecordPlan};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, entities};

static FORM: RecordForm = RecordForm::of(&entities::TASK_INFO);
static RECORD: RecordPlan = RecordPlan::new(RecordForm::of(&entities::TASK_INFO));
static RECORD_V2: RecordPlan = RecordPlan::new(RecordForm::of(&entities::TASK));

/// The address of a task of v1 is below this one, wherever it was created.
const COLLECTION: &str = "/v1/Tasks";

/// Reads the current task for the answer to a write.
type Answer = fn(&mut dyn Session, i32) -> Result<WrittenRecord, WriteError>;

/// The current task, as a record of v1.
fn answer_v1(session: &mut dyn Session, id: i32) -> Result<WrittenRecord, WriteError> {
    record(&RECORD, session, id).map(|record| record.below(COLLECTION))
}

/// The current task, as a record of v2.
fn answer_v2(session: &mut dyn Session, id: i32) -> Result<WrittenRecord, WriteError> {
    record(&RECORD_V2, session, id)
}

fn record(
    plan: &RecordPlan,
    session: &mut dyn Session,
    id: i32,
) -> Result<WrittenRecord, WriteError> {
    let json = plan.read(session, id)?.ok_or(missing(id))?;
    Ok(WrittenRecord::new(plan.entity(), id, json))
}

pub(super) fn missing(id: i32) -> WriteError {
    WriteError::Missing("task", id.into())
}
