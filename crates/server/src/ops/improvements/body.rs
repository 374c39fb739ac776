//! The bodies of create and update, in the domain's terms; what its schema says beyond types is checked here.

use obeya_model::{
    EvaluationStatus, ImprovementCreate, ImprovementPriorityStatus, ImprovementStatus,
    ImprovementUpdate, Patch,
};

use crate::ops::never_null::Properties;
use obeya_rules::error::DomainError;
use obeya_rules::validate::{Check, IMPROVEMENT_TITLE_MAX};
use obeya_store::tables::improvements::ImprovementChange;

impl Properties for ImprovementUpdate {
    const NEVER_NULL: &'static [&'static str] = &["status", "priorityStatus"];
}

impl Properties for ImprovementCreate {
    const NEVER_NULL: &'static [&'static str] = &["status", "priorityStatus"];
}

/// What an update asks for: absent leaves, null empties.
pub(super) fn of_update(body: ImprovementUpdate) -> Result<ImprovementChange, DomainError> {
    let words = words(
        body.title.as_ref(),
        body.status.as_ref(),
        body.priority_status.as_ref(),
        body.evaluation_status.as_ref(),
    )?;
    Ok(ImprovementChange {
        fields: body.into(),
        ..words
    })
}

/// What a new improvement is to be: what is absent or null is empty.
pub(super) fn of_create(body: ImprovementCreate) -> Result<ImprovementChange, DomainError> {
    let words = words(
        Patch::Value(&body.title),
        body.status.as_ref(),
        body.priority_status.as_ref(),
        Patch::from(Some(body.evaluation_status.as_ref())),
    )?;
    Ok(ImprovementChange {
        fields: body.into(),
        ..words
    })
}

/// What a body says in words of closed sets; its title is of the length that is allowed.
fn words(
    title: Patch<&String>,
    status: Option<&ImprovementStatus>,
    priority: Option<&ImprovementPriorityStatus>,
    evaluation: Patch<&EvaluationStatus>,
) -> Result<ImprovementChange, DomainError> {
    let mut check = Check::default();
    let status = status.map(|word| check.variant("status", word.as_str()));
    let priority = priority.map(|word| check.variant("priorityStatus", word.as_str()));
    let evaluation = evaluation
        .map(|word| check.variant("evaluationStatus", word.as_str()))
        .into_option();
    if let Patch::Value(title) = title {
        check.at_most("title", title, IMPROVEMENT_TITLE_MAX);
    }
    check.finish(Some(()))?;
    Ok(ImprovementChange {
        // A word that was refused has ended the check above.
        status: status.flatten(),
        priority_status: priority.flatten(),
        evaluation_status: evaluation.map(Option::flatten),
        ..ImprovementChange::default()
    })
}
