//! Incidents.

mod body;
pub(crate) mod create;
pub(crate) mod parts;
pub(crate) mod properties;
pub(crate) mod reads;
pub(crate) mod trash;
pub(crate) mod update;

use super::view::WrittenRecord;
use obeya_read::{RecordForm, RecordPlan};
use obeya_store::entities;
use obeya_store::tables::incidents::IncidentRow;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, incidents, stamp};

/// An incident with its parts.
const FORM: RecordForm = RecordForm {
    entity: &entities::INCIDENT,
    parts: Some((
        "$expand=consequences,categories,causes,customFields",
        "numberOfAttachments",
    )),
};
const NOT_DELETED: &str = "{t}.deleted_date IS NULL";
static RECORD: RecordPlan = RecordPlan::new(FORM).only(NOT_DELETED);

/// Looks up an incident for a change. The stamp of the change is taken only after all checks: a request that
/// is refused before it has changed anything does not affect the other writes of its commit.
fn find_for_update(session: &mut dyn Session, id: i32) -> Result<IncidentRow, WriteError> {
    incidents::prefetch(session, id)?;
    stamp::prefetch(session)?;
    incidents::find(session, id)?.ok_or(WriteError::Missing("incident", id.into()))
}

/// The path of an incident in the audit log.
fn path(id: i32) -> String {
    format!("incidents/{id}")
}

/// The current incident, as a record, inside the transaction that changed it.
fn answer(session: &mut dyn Session, id: i32) -> Result<WrittenRecord, WriteError> {
    answer_except(session, id, &[])
}

/// The same, without reading the lists of these names, which are known to be empty.
fn answer_except(
    session: &mut dyn Session,
    id: i32,
    empty: &[&str],
) -> Result<WrittenRecord, WriteError> {
    let json = RECORD.read_except(session, id, empty)?;
    let json = json.ok_or(WriteError::Missing("incident", id.into()))?;
    Ok(WrittenRecord::new(RECORD.entity(), id, json))
}
