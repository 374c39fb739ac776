//! Tasks. A task of an incident in the trash is as if it did not exist.

mod body;
mod changes;
mod place;
pub(crate) mod reads;
pub(crate) mod v2;
pub(crate) mod writes;

use std::sync::Arc;

use super::call::Call;
use super::view::WrittenRecord;
use obeya_read::{RecordForm, RecordPlan};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, entities};

static FORM: RecordForm = RecordForm::of(&entities::TASK_INFO);
static RECORD: RecordPlan = RecordPlan::new(RecordForm::of(&entities::TASK_INFO));
static RECORD_V2: RecordPlan = RecordPlan::new(RecordForm::of(&entities::TASK));

/// The address of a task of v1 is below this one, wherever it was created.
const COLLECTION: &str = "/v1/Tasks";

/// How a write shows a task: in the form of its generation.
#[derive(Debug, Clone)]
enum Shown {
    V1,
    /// With the member `@odata.context`.
    V2(Option<Arc<[u8]>>),
}

impl Shown {
    fn v2(call: &Call) -> Self {
        let context = RECORD_V2.context(call.app.store.dialect(), &call.base_url());
        Self::V2(context.map(Into::into))
    }

    /// The current task, as a record.
    fn answer(&self, session: &mut dyn Session, id: i32) -> Result<WrittenRecord, WriteError> {
        let plan = match self {
            Self::V1 => &RECORD,
            Self::V2(_) => &RECORD_V2,
        };
        let json = plan.read(session, id)?.ok_or(missing(id))?;
        let record = WrittenRecord::new(plan.entity(), id, json);
        Ok(match self {
            Self::V1 => record.below(COLLECTION),
            Self::V2(context) => record.in_context(context.clone()),
        })
    }
}

fn missing(id: i32) -> WriteError {
    WriteError::Missing("task", id.into())
}
