//! Converts the bodies of create and update to domain types, and checks what their schemas require beyond
//! types.

use std::ops::RangeInclusive;

use obeya_model::bounds::schemas::{improvement_create, improvement_update};
use obeya_model::{
    EvaluationStatusV1, ImprovementCreate, ImprovementPriorityStatus, ImprovementStatus,
    ImprovementUpdate, Patch,
};

use crate::ops::never_null::Properties;
use obeya_rules::error::DomainError;
use obeya_rules::validate::Check;
use obeya_store::tables::improvements::ImprovementChange;

impl Properties for ImprovementUpdate {
    const NEVER_NULL: &'static [&'static str] = &["status", "priorityStatus"];
}

impl Properties for ImprovementCreate {
    const NEVER_NULL: &'static [&'static str] = &["status", "priorityStatus"];
}

/// The change of an update: an absent property stays, null empties it.
pub(super) fn of_update(body: ImprovementUpdate) -> Result<ImprovementChange, DomainError> {
    let values = enum_values(
        body.title.as_ref(),
        &improvement_update::title::LENGTH,
        body.status.as_ref(),
        body.priority_status.as_ref(),
        body.evaluation_status.as_ref(),
    )?;
    Ok(ImprovementChange {
        fields: body.into(),
        ..values
    })
}

/// The values of a new improvement: an absent or null property is empty.
pub(super) fn of_create(body: ImprovementCreate) -> Result<ImprovementChange, DomainError> {
    let values = enum_values(
        Patch::Value(&body.title),
        &improvement_create::title::LENGTH,
        body.status.as_ref(),
        body.priority_status.as_ref(),
        Patch::from(Some(body.evaluation_status.as_ref())),
    )?;
    Ok(ImprovementChange {
        fields: body.into(),
        ..values
    })
}

/// Reads the enumerations of a body, and checks the length of its title.
fn enum_values(
    title: Patch<&String>,
    length: &RangeInclusive<usize>,
    status: Option<&ImprovementStatus>,
    priority: Option<&ImprovementPriorityStatus>,
    evaluation: Patch<&EvaluationStatusV1>,
) -> Result<ImprovementChange, DomainError> {
    let mut check = Check::default();
    let status = status.map(|value| check.variant("status", value.as_str()));
    let priority = priority.map(|value| check.variant("priorityStatus", value.as_str()));
    let evaluation = evaluation
        .map(|value| check.variant("evaluationStatus", value.as_str()))
        .into_option();
    if let Patch::Value(title) = title {
        check.length("title", title, length);
    }
    check.finish(Some(()))?;
    Ok(ImprovementChange {
        // A refused value has ended the check above.
        status: status.flatten(),
        priority_status: priority.flatten(),
        evaluation_status: evaluation.map(Option::flatten),
        ..ImprovementChange::default()
    })
}
