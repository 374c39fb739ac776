//! Updating an incident, and the rules that every change of one follows.

use obeya_model::IncidentUpdate;
use serde::Serialize;

use super::{answer, body, find_for_update, path};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::never_null::NeverNull;
use crate::ops::view::WrittenRecord;
use crate::ops::writing::{self, Decision, Written};
use obeya_store::audit::{Change, Diff};
use obeya_store::grants::Grants;
use obeya_store::references::{Record as To, References};
use obeya_store::tables::incidents::{IncidentChange, IncidentRow};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, StoreError, incidents, stamp};

/// PUT /v1/Incidents/{id}
pub(crate) async fn update(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(
        call,
        json::<NeverNull<IncidentUpdate>>(),
        |NeverNull(body), context| {
            context.sets(&body)?;
            let change = body::of_update(body)?;
            let (now, grants) = (context.now, context.grants());
            Ok(Decision::record(answer, move |session| {
                self::change(session, &grants, id, now, change.clone())
            })
            .against(move |session| answer(session, id)))
        },
    )
    .await
}

/// Applies a change to an incident by the rules of every body, and returns the changed one. An incident that
/// stays the same gets no new stamp.
pub(super) fn change(
    session: &mut dyn Session,
    grants: &Grants,
    id: i32,
    now: i64,
    change: IncidentChange,
) -> Result<Written<WrittenRecord>, WriteError> {
    let stored = find_for_update(session, id)?;
    let names_responsible = change.names_responsible();
    let mut next = stored.clone().changed(change, now)?;
    check(session, grants, &stored, &next, names_responsible)?;
    if next == stored {
        return Ok(Written::unchanged(move |session| answer(session, id)));
    }
    next.last_modified = stamp::next(session, now, stored.last_modified)?;
    // A client is no user.
    next.last_modified_by_user_id = None;
    let mut diff = Diff::default().rows(
        &IncidentRow::TABLE,
        Some(&stored.cells()),
        Some(&next.cells()),
    );
    if next.incident_type_id != stored.incident_type_id {
        diff = removed(session, id, diff)?;
        // Categories, consequences, causes and custom fields belong to a type and mean nothing under another.
        incidents::clear_parts(session, id)?;
    }
    incidents::update(session, &next)?;
    Ok(Written::changed(
        Change::of(path(id), diff),
        move |session| answer(session, id),
    ))
}

/// Adds the parts that a change of the type removes.
fn removed(session: &mut dyn Session, id: i32, diff: Diff) -> Result<Diff, StoreError> {
    fn part<T: Serialize>(diff: Diff, name: &str, parts: &[T]) -> Diff {
        if parts.is_empty() {
            return diff;
        }
        diff.property(name, Some(parts), Some(&[]))
    }
    let diff = part(diff, "categories", &incidents::CATEGORIES.of(session, id)?);
    let diff = part(
        diff,
        "consequences",
        &incidents::CONSEQUENCES.of(session, id)?,
    );
    let diff = part(diff, "causes", &incidents::CAUSES.of(session, id)?);
    let fields = incidents::CUSTOM_FIELDS.of(session, id)?;
    Ok(part(diff, "customFields", &fields))
}

/// Checks that the records to which the body refers exist, and that the responsible user is in the group.
/// Unchanged references were checked when they were written.
fn check(
    session: &mut dyn Session,
    grants: &Grants,
    old: &IncidentRow,
    new: &IncidentRow,
    names_responsible: bool,
) -> Result<(), WriteError> {
    let changed = |old: Option<i32>, new: Option<i32>| new.filter(|_| new != old);
    let mut references = References::new(session, grants);
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
        let (user, group) = (new.responsible_user_id.as_deref(), new.follow_up_group_id);
        let are_stored =
            user == old.responsible_user_id.as_deref() && group == old.follow_up_group_id;
        references.person("responsibleUserId", user)?;
        references.responsible(user, group, are_stored)?;
    }
    references.finish()
}
