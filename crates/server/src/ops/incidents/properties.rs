//! Writes of one property of an incident.

use std::collections::BTreeMap;

use obeya_model::bounds::operations::update_incident_external_id;
use obeya_model::bounds::schemas::{incident_custom_field_update, incident_responsible_update};
use obeya_model::{
    IncidentCustomFieldUpdate, IncidentResponsibleUpdate, IncidentSeverityUpdate,
    IncidentStatusUpdate,
};

use super::{answer, find_for_update, path, update};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::never_null::{NeverNull, Properties};
use crate::ops::writing::{self, Decision, Written};
use obeya_rules::validate::Check;
use obeya_store::audit::{Change, Diff};
use obeya_store::incidents::FieldValue;
use obeya_store::references::{Part, References};
use obeya_store::tables::incidents::{IncidentChange, IncidentFields};
use obeya_store::{Session, incidents, stamp};

impl Properties for IncidentSeverityUpdate {
    const NEVER_NULL: &'static [&'static str] = &["severity"];
}

/// PUT /v1/Incidents/{id}/status
pub(crate) async fn update_status(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, json::<IncidentStatusUpdate>(), |body, context| {
        context.sets(&body)?;
        let mut check = Check::default();
        let status = check.variant("status", body.status.as_str());
        let status = check.finish(status)?;
        let (now, grants) = (context.now, context.grants());
        let work = move |session: &mut dyn Session| {
            let change = IncidentChange {
                status: Some(status),
                ..IncidentChange::default()
            };
            update::change(session, &grants, id, now, change)
        };
        Ok(Decision::record(answer, work).against(move |session| answer(session, id)))
    })
    .await
}

/// PUT /v1/Incidents/{id}/severity
pub(crate) async fn update_severity(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(
        call,
        json::<NeverNull<IncidentSeverityUpdate>>(),
        |NeverNull(body), context| {
            context.sets(&body)?;
            let mut check = Check::default();
            let severity = body.severity.as_ref();
            let severity = severity.map(|value| check.variant("severity", value.as_str()));
            // Returns here if the value was refused.
            let severity = check.finish(Some(severity.flatten()))?;
            let (now, grants) = (context.now, context.grants());
            let work = move |session: &mut dyn Session| {
                let change = IncidentChange {
                    severity,
                    ..IncidentChange::default()
                };
                update::change(session, &grants, id, now, change)
            };
            Ok(Decision::record(answer, work).against(move |session| answer(session, id)))
        },
    )
    .await
}

/// PUT /v1/Incidents/{id}/responsible: the follow-up group and the responsible user in it.
pub(crate) async fn update_responsible(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(
        call,
        json::<IncidentResponsibleUpdate>(),
        |body, context| {
            context.sets(&body)?;
            let mut check = Check::default();
            check.length(
                "responsibleUserId",
                &body.responsible_user_id,
                &incident_responsible_update::responsible_user_id::LENGTH,
            );
            check.finish(Some(()))?;
            let (now, grants) = (context.now, context.grants());
            let work = move |session: &mut dyn Session| {
                let fields = IncidentFields {
                    follow_up_group_id: Some(Some(body.follow_up_group_id)),
                    responsible_user_id: Some(Some(body.responsible_user_id.clone())),
                    ..IncidentFields::default()
                };
                let change = IncidentChange {
                    fields,
                    ..IncidentChange::default()
                };
                update::change(session, &grants, id, now, change)
            };
            Ok(Decision::record(answer, work).against(move |session| answer(session, id)))
        },
    )
    .await
}

/// PUT /v1/Incidents/{id}/externalId: the body is a bare JSON string, or null.
pub(crate) async fn update_external_id(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, json::<Option<String>>(), |external_id, context| {
        context.sets(&BTreeMap::from([("externalId", &external_id)]))?;
        let mut check = Check::default();
        if let Some(external_id) = &external_id {
            let allowed = &update_incident_external_id::body::LENGTH;
            check.length("externalId", external_id, allowed);
        }
        check.finish(Some(()))?;
        let now = context.now;
        let work = move |session: &mut dyn Session| {
            let stored = find_for_update(session, id)?;
            if stored.external_id == external_id {
                return Ok(Written::unchanged(move |session| answer(session, id)));
            }
            let stamp = stamp::next(session, now, stored.last_modified)?;
            incidents::set_external_id(session, id, external_id.as_deref(), stamp)?;
            let (before, after) = (&stored.external_id, &external_id);
            let diff = Diff::default().property("externalId", Some(before), Some(after));
            Ok(Written::changed(
                Change::of(path(id), diff),
                move |session| answer(session, id),
            ))
        };
        Ok(Decision::record(answer, work).against(move |session| answer(session, id)))
    })
    .await
}

/// PUT /v1/Incidents/{id}/customfields/{customFieldId}: one field's value; the others stay as they are.
pub(crate) async fn update_custom_field(call: Call) -> Result<Response, Problem> {
    let (id, field_id) = (call.id()?, call.id_at(1)?);
    writing::write(
        call,
        json::<IncidentCustomFieldUpdate>(),
        |body, context| {
            let mut check = Check::default();
            check.length(
                "value",
                &body.value,
                &incident_custom_field_update::value::LENGTH,
            );
            check.finish(Some(()))?;
            let (now, grants) = (context.now, context.grants());
            let work = move |session: &mut dyn Session| {
                incidents::prefetch_custom_field(session, id, field_id)?;
                let stored = find_for_update(session, id)?;
                let mut references = References::new(session, &grants);
                references.parts(
                    Part::CustomField,
                    stored.incident_type_id,
                    [field_id],
                    |_| "customFieldId".to_owned(),
                )?;
                references
                    .field_values([(field_id, body.value.as_str())], |_| "value".to_owned())?;
                references.finish()?;
                let value = incidents::custom_field(session, id, field_id)?;
                if value.as_ref() == Some(&body.value) {
                    return Ok(Written::unchanged(move |session| answer(session, id)));
                }
                let stamp = stamp::next(session, now, stored.last_modified)?;
                let field = FieldValue {
                    id: field_id,
                    value: &body.value,
                };
                incidents::set_custom_field(session, id, field, now)?;
                incidents::touch(session, id, stamp)?;
                let (before, after) = ((field_id, value.as_ref()), (field_id, Some(&body.value)));
                let diff =
                    Diff::default().property("customFields", Some(&[before]), Some(&[after]));
                Ok(Written::changed(
                    Change::of(path(id), diff),
                    move |session| answer(session, id),
                ))
            };
            Ok(Decision::record(answer, work).against(move |session| answer(session, id)))
        },
    )
    .await
}
