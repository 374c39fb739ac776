//! Converts the bodies of create and update to domain types, and checks what their schemas require beyond
//! types.

use std::ops::RangeInclusive;

use obeya_model::bounds::schemas::{incident_create, incident_update};
use obeya_model::{
    CategoryInput, EvaluationStatusV1, IncidentCreate, IncidentSeverity, IncidentStatus,
    IncidentUpdate, Patch, Timestamp,
};

use crate::ops::never_null::Properties;
use obeya_rules::error::DomainError;
use obeya_rules::validate::Check;
use obeya_store::tables::incidents::IncidentChange;

impl Properties for IncidentUpdate {
    const NEVER_NULL: &'static [&'static str] = &["status", "isAnonymous"];
}

impl Properties for IncidentCreate {
    const NEVER_NULL: &'static [&'static str] = &["status", "isAnonymous"];
}

/// The properties of a body that are enumerations, and when the incident was resolved; the rest is empty.
fn enum_values(
    check: &mut Check,
    status: Option<&IncidentStatus>,
    severity: &IncidentSeverity,
    evaluation: Patch<&EvaluationStatusV1>,
    resolved: Patch<Timestamp>,
) -> IncidentChange {
    let status = status.map(|status| check.variant("status", status.as_str()));
    let severity = check.variant("severity", severity.as_str());
    let evaluation = evaluation
        .map(|evaluation| check.variant("evaluationStatus", evaluation.as_str()))
        .into_option();
    IncidentChange {
        // A value that was refused ends the request when the check finishes.
        status: status.flatten(),
        severity,
        resolved_date: resolved.map(Timestamp::ticks).into_option(),
        evaluation_status: evaluation.map(Option::flatten),
        ..IncidentChange::default()
    }
}

/// The change of an update: an absent property stays, null empties it.
pub(super) fn of_update(body: IncidentUpdate) -> Result<IncidentChange, DomainError> {
    let mut check = Check::default();
    let values = enum_values(
        &mut check,
        body.status.as_ref(),
        &body.severity,
        body.evaluation_status.as_ref(),
        body.resolved_date,
    );
    check.length("title", &body.title, &incident_update::title::LENGTH);
    check.finish(Some(()))?;
    Ok(IncidentChange {
        fields: body.into(),
        ..values
    })
}

/// The values of a new incident without its categories and other parts: an absent or null property is empty.
pub(super) fn of_create(body: &IncidentCreate) -> Result<IncidentChange, DomainError> {
    let mut check = Check::default();
    let values = enum_values(
        &mut check,
        body.status.as_ref(),
        &body.severity,
        Patch::from(Some(body.evaluation_status.as_ref())),
        Patch::from(Some(body.resolved_date)),
    );
    check.length("title", &body.title, &incident_create::title::LENGTH);
    let allowed = &incident_create::categories::ITEMS;
    category_count(&mut check, &body.categories, allowed);
    check.finish(Some(()))?;
    Ok(IncidentChange {
        fields: body.clone().into(),
        ..values
    })
}

/// Checks how many categories an incident has.
pub(super) fn category_count(
    check: &mut Check,
    categories: &[CategoryInput],
    allowed: &RangeInclusive<usize>,
) {
    let names = ["category", "categories"];
    check.size("categories", categories.len(), allowed, names);
}
