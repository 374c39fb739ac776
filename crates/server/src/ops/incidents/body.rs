//! Converts the bodies of create and update to domain types, and checks what their schemas require beyond
//! types.

use obeya_model::{
    CategoryInput, Date, EvaluationStatus, IncidentCreate, IncidentSeverity, IncidentStatus,
    IncidentUpdate, Patch, Timestamp,
};

use crate::ops::never_null::Properties;
use obeya_rules::Change;
use obeya_rules::error::DomainError;
use obeya_rules::incident::IncidentChange;
use obeya_rules::validate::Check;
use obeya_rules::words::{Evaluation, IncidentStatus as Status, Severity};

impl Properties for IncidentUpdate {
    const NEVER_NULL: &'static [&'static str] = &["status", "isAnonymous"];
}

impl Properties for IncidentCreate {
    const NEVER_NULL: &'static [&'static str] = &["status", "isAnonymous"];
}

/// The enumerations of a body.
struct EnumValues {
    status: Option<Status>,
    severity: Severity,
    evaluation: Change<Evaluation>,
}

fn enum_values(
    check: &mut Check,
    status: Option<&IncidentStatus>,
    severity: &IncidentSeverity,
    evaluation: Patch<&EvaluationStatus>,
) -> Option<EnumValues> {
    let status = status.map(|value| check.word("status", value.as_str()));
    let severity = check.word("severity", severity.as_str());
    let evaluation = match evaluation {
        Patch::Absent => Some(None),
        Patch::Null => Some(Some(None)),
        Patch::Value(value) => check
            .word("evaluationStatus", value.as_str())
            .map(|value| Some(Some(value))),
    };
    Some(EnumValues {
        // `None` inside `Some` is a refused value.
        status: status.map_or(Some(None), |value| value.map(Some))?,
        severity: severity?,
        evaluation: evaluation?,
    })
}

/// The change of an update: an absent property stays, null empties it.
pub(super) fn of_update(body: IncidentUpdate) -> Result<IncidentChange, DomainError> {
    let mut check = Check::default();
    let values = enum_values(
        &mut check,
        body.status.as_ref(),
        &body.severity,
        body.evaluation_status.as_ref(),
    );
    check.not_empty("title", &body.title);
    let values = check.finish(values)?;
    Ok(IncidentChange {
        incident_type_id: body.incident_type_id,
        severity: values.severity,
        title: body.title,
        incident_date: days(body.incident_date),
        status: values.status,
        resolved_date: body.resolved_date.map(Timestamp::ticks).into_option(),
        due_date: body.due_date.map(Timestamp::ticks).into_option(),
        text: body.text.into_option(),
        is_anonymous: body.is_anonymous,
        external_id: body.external_id.into_option(),
        reported_by_group_id: body.reported_by_group_id.into_option(),
        follow_up_group_id: body.follow_up_group_id.into_option(),
        responsible_user_id: body.responsible_user_id.into_option(),
        area_id: body.area_id.into_option(),
        project_id: body.project_id.into_option(),
        evaluation: values.evaluation,
        evaluation_text: body.evaluation_text.into_option(),
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
    );
    check.not_empty("title", &body.title);
    some_category(&mut check, &body.categories);
    let values = check.finish(values)?;
    Ok(IncidentChange {
        incident_type_id: body.incident_type_id,
        severity: values.severity,
        title: body.title.clone(),
        incident_date: days(body.incident_date),
        status: values.status,
        resolved_date: Some(body.resolved_date.map(Timestamp::ticks)),
        due_date: Some(body.due_date.map(Timestamp::ticks)),
        text: Some(body.text.clone()),
        is_anonymous: body.is_anonymous,
        external_id: Some(body.external_id.clone()),
        reported_by_group_id: Some(body.reported_by_group_id),
        follow_up_group_id: Some(body.follow_up_group_id),
        responsible_user_id: Some(body.responsible_user_id.clone()),
        area_id: Some(body.area_id),
        project_id: Some(body.project_id),
        evaluation: values.evaluation,
        evaluation_text: Some(body.evaluation_text.clone()),
    })
}

/// Checks that an incident has at least one category.
pub(super) fn some_category(check: &mut Check, categories: &[CategoryInput]) {
    if categories.is_empty() {
        check.refuse("categories", "expected at least 1 category, found none");
    }
}

fn days(date: Date) -> i64 {
    date.days().into()
}
