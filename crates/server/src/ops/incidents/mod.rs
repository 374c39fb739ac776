//! Handlers of incidents.

mod body;
pub(crate) mod categories;
pub(crate) mod causes;
pub(crate) mod consequences;
pub(crate) mod create;
pub(crate) mod custom_field;
pub(crate) mod delete;
pub(crate) mod external_id;
pub(crate) mod get;
pub(crate) mod get_type_v2;
pub(crate) mod get_v2;
pub(crate) mod list;
pub(crate) mod list_types_v2;
pub(crate) mod list_v2;
mod parts;
pub(crate) mod responsible;
pub(crate) mod restore;
pub(crate) mod severity;
pub(crate) mod status;
pub(crate) mod trash;
pub(crate) mod type_detail;
pub(crate) mod types;
pub(crate) mod update;

use super::view::Record;
use obeya_read::{Form, RecordPlan};
use obeya_store::entities;
use obeya_store::tables::incidents::IncidentRow;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, incidents, stamp};

/// An incident with everything that hangs on it.
const FORM: Form = Form {
    entity: &entities::INCIDENT,
    parts: Some((
        "$expand=consequences,categories,causes,customFields",
        "numberOfAttachments",
    )),
};
const NOT_DELETED: &str = "{t}.deleted_date IS NULL";
static RECORD: RecordPlan = RecordPlan::new(FORM).only(NOT_DELETED);

/// Looks up an incident that is to be changed. The stamp of the change is taken once nothing can be refused
/// any more: what is refused before it has changed anything costs those nothing that share its commit.
fn open(session: &mut dyn Session, id: i32) -> Result<IncidentRow, WriteError> {
    incidents::prefetch(session, id)?;
    stamp::prefetch(session)?;
    incidents::find(session, id)?.ok_or(WriteError::Missing("incident", id))
}

/// The incident as it is now, inside the transaction that changed it.
fn answer(session: &mut dyn Session, id: i32) -> Result<Record, WriteError> {
    RECORD.prefetch(session, id)?;
    let json = RECORD.read(session, id)?;
    let json = json.ok_or(WriteError::Missing("incident", id))?;
    Ok(Record::new(RECORD.entity(), id, json))
}
