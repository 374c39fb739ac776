//! Users. A deleted user is as if it did not exist, but records go on naming it, and its user name stays
//! taken.

mod body;
pub(crate) mod delete;
pub(crate) mod reads;
pub(crate) mod roles;
pub(crate) mod writes;

use super::view::WrittenRecord;
use obeya_read::{RecordForm, RecordPlan};
use obeya_store::audit::{Change, Diff};
use obeya_store::tables::organisation::UserRow;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, entities};

static FORM: RecordForm = RecordForm::of(&entities::USER_V1);
/// A user of v1, deleted or not.
static ANY_RECORD_V1: RecordPlan = RecordPlan::new(RecordForm::of(&entities::USER_V1));
static RECORD_V1: RecordPlan = RecordPlan::new(RecordForm::of(&entities::USER_V1)).only(LIVE);
static RECORD_V2: RecordPlan = RecordPlan::new(RecordForm::of(&entities::USER));

/// The condition for users who were not deleted.
const LIVE: &str = "{t}.deleted_date IS NULL";

/// Reads the current user for the answer to a write.
type Answer = fn(&mut dyn Session, String) -> Result<WrittenRecord, WriteError>;

/// The current user, as a record of v1.
fn answer_v1(session: &mut dyn Session, id: String) -> Result<WrittenRecord, WriteError> {
    record(&RECORD_V1, session, id).map(|record| record.below("/v1/Users"))
}

/// The current user, as a record of v2.
fn answer_v2(session: &mut dyn Session, id: String) -> Result<WrittenRecord, WriteError> {
    record(&RECORD_V2, session, id)
}

fn record(
    plan: &RecordPlan,
    session: &mut dyn Session,
    id: String,
) -> Result<WrittenRecord, WriteError> {
    match plan.read(session, id.as_str())? {
        Some(json) => Ok(WrittenRecord::new(plan.entity(), id, json)),
        None => Err(missing(&id)),
    }
}

fn missing(id: &str) -> WriteError {
    WriteError::Missing("user", id.into())
}

/// The change of a user, for the audit log. The path names no user, whom an erasure must be able to remove;
/// by the id in the text it finds the entry.
fn change(before: Option<&UserRow>, after: Option<&UserRow>) -> Change {
    let ids = [before, after].map(|user| user.map(|user| user.id.as_str()));
    let cells = [before, after].map(|user| user.map(UserRow::cells));
    let mut diff = Diff::default().property("id", ids[0], ids[1]);
    if before.is_none() {
        // What an import must have is not among what a new row sets.
        let name = |read: fn(&UserRow) -> &str| after.map(read);
        diff = diff
            .property("userName", None, name(|user| &user.user_name))
            .property("displayName", None, name(|user| &user.display_name));
    }
    let [before, after] = cells
        .each_ref()
        .map(|cells| cells.as_ref().map(|cells| &cells[..]));
    Change::of("users", diff.rows(&UserRow::TABLE, before, after))
}
