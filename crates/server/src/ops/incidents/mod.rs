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

use obeya_model::Incident;

use crate::store::refusal::Refusal;
use crate::store::{Session, incidents, stamp};

/// Looks up an incident that is to be changed, and takes the stamp of the change.
fn open(session: &mut dyn Session, id: i32, now: i64) -> Result<(incidents::Stored, i64), Refusal> {
    // Missing or not: what is not there is not changed, and all is undone.
    incidents::announce(session, id)?;
    stamp::announce(session, now)?;
    let stored = incidents::find(session, id)?.ok_or(Refusal::Missing("incident", id))?;
    let stamp = stamp::next(session, now, stored.last_modified)?;
    Ok((stored, stamp))
}

/// The incident as it is now, inside the transaction that changed it.
fn answer(session: &mut dyn Session, id: i32) -> Result<Incident, Refusal> {
    incidents::record(session, id)?.ok_or(Refusal::Missing("incident", id))
}
