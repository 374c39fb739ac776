//! Writing groups.

use obeya_model::GroupCreate;
use obeya_model::bounds::schemas::group_create::name;

use super::FORM;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::{NoBody, json};
use crate::ops::never_null::{NeverNull, Properties};
use crate::ops::view::WrittenRecord;
use crate::ops::writing::{self, Decision, Written};
use obeya_read::RecordPlan;
use obeya_rules::enums::GroupType;
use obeya_rules::error::DomainError;
use obeya_rules::validate::Check;
use obeya_store::audit::{Change, Diff};
use obeya_store::grants::Grants;
use obeya_store::references::{Record as To, References};
use obeya_store::tables::organisation::GroupRow;
use obeya_store::variant::Variant;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, groups};

static RECORD: RecordPlan = RecordPlan::new(FORM);

impl Properties for GroupCreate {
    const NEVER_NULL: &'static [&'static str] = &["type"];
}

/// POST /v1/Groups
pub(crate) async fn create(call: Call) -> Result<Response, Problem> {
    writing::write(
        call,
        json::<NeverNull<GroupCreate>>(),
        |NeverNull(body), context| {
            context.sets(&body)?;
            let grants = context.grants();
            let group = group(body)?;
            Ok(Decision::record(answer, move |session| {
                insert(session, &grants, group.clone())
            }))
        },
    )
    .await
}

/// The group of a body, without its id and its level.
fn group(body: GroupCreate) -> Result<GroupRow, DomainError> {
    let mut check = Check::default();
    check.length("name", &body.name, &name::LENGTH);
    let kind = match &body.type_ {
        Some(kind) => check.variant("type", kind.as_str()),
        None => Some(GroupType::General),
    };
    // Existing clients send it under the misspelt name.
    let units = (body.business_unit_id, body.buisness_unit_id);
    if let (Some(unit), Some(other)) = units
        && unit != other
    {
        let text = format!("expected {unit}, as in businessUnitId, found {other}");
        check.refuse("buisnessUnitId", text);
    }
    let kind = check.finish(kind)?;
    Ok(GroupRow {
        r#type: Variant::from_enum(kind),
        name: Some(body.name),
        description: body.description,
        parent_id: body.parent_id,
        business_unit_id: units.0.or(units.1),
        project_id: body.project_id,
        external_id: body.external_id,
        ..GroupRow::default()
    })
}

fn insert(
    session: &mut dyn Session,
    grants: &Grants,
    mut group: GroupRow,
) -> Result<Written<WrittenRecord>, WriteError> {
    let mut references = References::new(session, grants);
    references.record("parentId", To::Group, group.parent_id)?;
    references.record("projectId", To::Project, group.project_id)?;
    references.finish()?;
    group.level = match group.parent_id {
        None => Some(0),
        // A parent of unknown depth leaves it unknown.
        Some(parent) => groups::find(session, parent)?
            .and_then(|parent| parent.level)
            .map(|level| level.saturating_add(1)),
    };
    let diff = Diff::default()
        .property("type", None, Some(group.r#type.as_str()))
        .rows(&GroupRow::TABLE, None, Some(&group.cells()));
    let id = groups::insert(session, group)?;
    let change = Change::of(format!("groups/{id}"), diff);
    Ok(Written::changed(change, move |session| answer(session, id)))
}

/// DELETE /v1/Groups/{id}: deletes a group to which nothing refers, with its memberships.
pub(crate) async fn delete(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, NoBody, |(), _| {
        let work = move |session: &mut dyn Session| remove(session, id);
        Ok(Decision::empty(work).against(move |session| answer(session, id)))
    })
    .await
}

fn remove(session: &mut dyn Session, id: i32) -> Result<Change, WriteError> {
    let group = groups::find(session, id)?.ok_or(missing(id))?;
    if group.is_system_group {
        return Err(DomainError::Conflict {
            code: "group.system",
            detail: format!("Group {id} was created by the system, and stays."),
        }
        .into());
    }
    if let Some(noun) = groups::referring(session, id)? {
        return Err(DomainError::Conflict {
            code: "group.in_use",
            detail: format!("Group {id} is in use: {noun} refers to it."),
        }
        .into());
    }
    groups::delete(session, id)?;
    let diff = Diff::default().rows(&GroupRow::TABLE, Some(&group.cells()), None);
    Ok(Change::of(format!("groups/{id}"), diff))
}

/// The current group, as a record of v1.
fn answer(session: &mut dyn Session, id: i32) -> Result<WrittenRecord, WriteError> {
    let json = RECORD.read(session, id)?.ok_or(missing(id))?;
    Ok(WrittenRecord::new(RECORD.entity(), id, json))
}

fn missing(id: i32) -> WriteError {
    WriteError::Missing("group", id.into())
}
