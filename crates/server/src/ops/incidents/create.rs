//! Creating an incident.

use obeya_model::IncidentCreate;

use super::{answer, answer_except, body, path};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::never_null::NeverNull;
use crate::ops::view::WrittenRecord;
use crate::ops::writing::{self, Decision, Written};
use obeya_store::audit::{Change, Diff};
use obeya_store::grants::Grants;
use obeya_store::incidents::FieldValue;
use obeya_store::references::{Part, Record as To, References};
use obeya_store::tables::incidents::IncidentRow;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, StoreError, incidents, stamp};

/// POST /v1/Incidents
pub(crate) async fn create(call: Call) -> Result<Response, Problem> {
    let stores_reporter = !call.app.config.never_store_reporter;
    writing::write(
        call,
        json::<NeverNull<IncidentCreate>>(),
        move |NeverNull(body), context| {
            context.sets(&body)?;
            let (now, grants) = (context.now, context.grants());
            let reporter = body.created_by_user_id.clone().filter(|_| stores_reporter);
            let incident = IncidentRow::created(body::of_create(&body)?, reporter, now)?;
            Ok(Decision::record(answer, move |session| {
                insert(session, &grants, &incident, &body, now)
            }))
        },
    )
    .await
}

fn insert(
    session: &mut dyn Session,
    grants: &Grants,
    incident: &IncidentRow,
    body: &IncidentCreate,
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    stamp::prefetch(session)?;
    check(session, grants, incident, body)?;
    let incident = IncidentRow {
        last_modified: stamp::next(session, now, 0)?,
        ..incident.clone()
    };
    let id = incidents::insert(session, &incident)?;

    let categories = body.categories.iter().map(|item| item.id);
    let consequences = body.consequences.iter().flatten();
    let consequences = consequences.map(|item| (item.id, item.amount));
    let causes = body.causes.iter().flatten().map(|item| item.id);
    // A field without a value counts as not filled in.
    let filled = body.custom_fields.iter().flatten().filter_map(|item| {
        Some(FieldValue {
            id: item.id,
            value: item.value.as_deref()?,
        })
    });
    let fields: Vec<_> = filled.collect();
    incidents::add_categories(session, id, categories)?;
    incidents::add_consequences(session, id, consequences)?;
    incidents::add_causes(session, id, causes)?;
    incidents::add_custom_fields(session, id, &fields, now)?;
    let change = Change::of(path(id), diff(&incident, body));
    let lists = [
        (
            "consequences",
            body.consequences.as_ref().is_none_or(Vec::is_empty),
        ),
        ("causes", body.causes.as_ref().is_none_or(Vec::is_empty)),
        ("customFields", fields.is_empty()),
    ];
    let empty = lists.into_iter().filter(|(_, is_empty)| *is_empty);
    let empty: Vec<&str> = empty.map(|(name, _)| name).collect();
    Ok(Written::changed(change, move |session| {
        answer_except(session, id, &empty)
    }))
}

/// The incident and its parts, for the audit log.
fn diff(incident: &IncidentRow, body: &IncidentCreate) -> Diff {
    let mut diff = Diff::default()
        .rows(&IncidentRow::TABLE, None, Some(&incident.cells()))
        .property(
            "categories",
            None,
            Some(&ids(&body.categories, |item| item.id)),
        );
    if let Some(consequences) = &body.consequences {
        let amounts = ids(consequences, |item| (item.id, item.amount));
        diff = diff.property("consequences", None, Some(&amounts));
    }
    if let Some(causes) = &body.causes {
        diff = diff.property("causes", None, Some(&ids(causes, |item| item.id)));
    }
    if let Some(fields) = &body.custom_fields {
        let values = ids(fields, |item| (item.id, item.value.clone()));
        diff = diff.property("customFields", None, Some(&values));
    }
    diff
}

fn ids<T, I>(items: &[T], map: impl Fn(&T) -> I) -> Vec<I> {
    items.iter().map(map).collect()
}

/// Checks that the records to which the body refers exist, and that its parts belong to the incident's type.
fn check(
    session: &mut dyn Session,
    grants: &Grants,
    incident: &IncidentRow,
    body: &IncidentCreate,
) -> Result<(), WriteError> {
    let mut references = References::new(session, grants);
    references.all(|references| check_references(references, incident, body))?;
    references.finish()
}

fn check_references(
    references: &mut References<'_>,
    incident: &IncidentRow,
    body: &IncidentCreate,
) -> Result<(), StoreError> {
    let of_type = incident.incident_type_id;
    let responsible = incident.responsible_user_id.as_deref();
    references.record("incidentTypeId", To::IncidentType, Some(of_type))?;
    references.record(
        "reportedByGroupId",
        To::Group,
        incident.reported_by_group_id,
    )?;
    references.record("followUpGroupId", To::Group, incident.follow_up_group_id)?;
    references.record("areaId", To::Area, incident.area_id)?;
    references.record("projectId", To::Project, incident.project_id)?;
    references.user("createdByUserId", body.created_by_user_id.as_deref())?;
    references.person("responsibleUserId", responsible)?;
    references.responsible(responsible, incident.follow_up_group_id, false)?;

    let categories = body.categories.iter().map(|item| item.id);
    references.parts(Part::Category, of_type, categories, |index| {
        format!("categories[{index}].id")
    })?;
    let consequences = body.consequences.iter().flatten().map(|item| item.id);
    references.parts(Part::Consequence, of_type, consequences, |index| {
        format!("consequences[{index}].id")
    })?;
    let causes = body.causes.iter().flatten().map(|item| item.id);
    references.parts(Part::Cause, of_type, causes, |index| {
        format!("causes[{index}].id")
    })?;
    let fields = body.custom_fields.iter().flatten().map(|item| item.id);
    references.parts(Part::CustomField, of_type, fields, |index| {
        format!("customFields[{index}].id")
    })?;
    let values = body.custom_fields.iter().flatten();
    let values = values.map(|item| (item.id, item.value.as_deref().unwrap_or_default()));
    references.field_values(values, |index| format!("customFields[{index}].value"))
}
