//! PUT /v1/Incidents/{id}

use obeya_model::IncidentUpdate;

use super::{answer, body, open};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::never_null::NeverNull;
use crate::ops::view::Record;
use crate::ops::writing::{self, Decision};
use obeya_store::references::{Record as To, References};
use obeya_store::tables::incidents::{IncidentChange, IncidentRow};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, incidents, stamp};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(
        call,
        json::<NeverNull<IncidentUpdate>>(),
        |NeverNull(body), deciding| {
            deciding.sets(&body)?;
            let change = body::of_update(body)?;
            let now = deciding.now;
            Ok(Decision::record(answer, move |session| {
                self::change(session, id, now, change.clone())
            })
            .against(move |session| answer(session, id)))
        },
    )
    .await
}

/// Applies a change to an incident by the rules of every body, and returns the incident as it is then. It is
/// not stamped if the change changes nothing.
pub(super) fn change(
    session: &mut dyn Session,
    id: i32,
    now: i64,
    change: IncidentChange,
) -> Result<Record, WriteError> {
    let stored = open(session, id)?;
    let names_responsible = change.names_responsible();
    let mut next = stored.clone().changed(change, now)?;
    check(session, &stored, &next, names_responsible)?;
    if next == stored {
        return answer(session, id);
    }
    next.last_modified = stamp::next(session, now, stored.last_modified)?;
    if next.incident_type_id != stored.incident_type_id {
        // Categories, consequences, causes and custom fields are a type's own: none of them means anything
        // under another one.
        incidents::clear_parts(session, id)?;
    }
    incidents::update(session, &next)?;
    answer(session, id)
}

/// What the body points to is there, and the responsible user is in the group. References that stay as they
/// are were checked when they were written.
fn check(
    session: &mut dyn Session,
    old: &IncidentRow,
    new: &IncidentRow,
    names_responsible: bool,
) -> Result<(), WriteError> {
    let changed = |old: Option<i32>, new: Option<i32>| new.filter(|_| new != old);
    let mut references = References::new(session);
    if new.incident_type_id != old.incident_type_id {
        references.record(
            "incidentTypeId",
            To::IncidentType,
            Some(new.incident_type_id),
        )?;
    }
    references.record(
        "reportedByGroupId",
        To::Group,
        changed(old.reported_by_group_id, new.reported_by_group_id),
    )?;
    references.record(
        "followUpGroupId",
        To::Group,
        changed(old.follow_up_group_id, new.follow_up_group_id),
    )?;
    references.record("areaId", To::Area, changed(old.area_id, new.area_id))?;
    references.record(
        "projectId",
        To::Project,
        changed(old.project_id, new.project_id),
    )?;
    if names_responsible {
        references.user("responsibleUserId", new.responsible_user_id.as_deref())?;
        references.responsible(new.responsible_user_id.as_deref(), new.follow_up_group_id)?;
    }
    references.finish()
}
