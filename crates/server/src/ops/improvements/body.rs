//! The bodies of create and update, in the domain's terms; what its schema says beyond types is checked here.

use obeya_model::{
    EvaluationStatus, ImprovementCreate, ImprovementPriorityStatus, ImprovementStatus,
    ImprovementUpdate, Patch, Timestamp,
};

use crate::domain::error::DomainError;
use crate::domain::improvement::ImprovementChange;
use crate::domain::validate::{Check, IMPROVEMENT_TITLE_MAX};
use crate::ops::never_null::Properties;

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
        title: body.title.into_option(),
        text: body.text.into_option(),
        due_date: body.due_date.map(Timestamp::ticks).into_option(),
        external_id: body.external_id.into_option(),
        group_id: body.group_id.into_option(),
        category_id: body.category_id.into_option(),
        project_id: body.project_id.into_option(),
        suggested_by_user_id: body.suggested_by_user_id.into_option(),
        responsible_user_id: body.responsible_user_id.into_option(),
        // In the order of `improvement::AMOUNTS`.
        amounts: [
            body.cost_of_investment.into_option(),
            body.gain_of_investment.into_option(),
            body.cost_of_investment_hours.into_option(),
            body.gain_of_investment_hours.into_option(),
            body.estimated_cost_of_investment.into_option(),
            body.estimated_gain_of_investment.into_option(),
            body.estimated_cost_of_investment_hours.into_option(),
            body.estimated_gain_of_investment_hours.into_option(),
        ],
        evaluation_text: body.evaluation_text.into_option(),
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
        title: Some(Some(body.title)),
        text: Some(body.text),
        due_date: Some(body.due_date.map(Timestamp::ticks)),
        external_id: Some(body.external_id),
        group_id: Some(body.group_id),
        category_id: Some(body.category_id),
        project_id: Some(body.project_id),
        suggested_by_user_id: Some(Some(body.suggested_by_user_id)),
        responsible_user_id: Some(body.responsible_user_id),
        // In the order of `improvement::AMOUNTS`.
        amounts: [
            Some(body.cost_of_investment),
            Some(body.gain_of_investment),
            Some(body.cost_of_investment_hours),
            Some(body.gain_of_investment_hours),
            Some(body.estimated_cost_of_investment),
            Some(body.estimated_gain_of_investment),
            Some(body.estimated_cost_of_investment_hours),
            Some(body.estimated_gain_of_investment_hours),
        ],
        evaluation_text: Some(body.evaluation_text),
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
    let status = status.map(|word| check.word("status", word.as_str()));
    let priority = priority.map(|word| check.word("priorityStatus", word.as_str()));
    let evaluation = evaluation
        .map(|word| check.word("evaluationStatus", word.as_str()))
        .into_option();
    if let Patch::Value(title) = title {
        check.at_most("title", title, IMPROVEMENT_TITLE_MAX);
    }
    check.finish(Some(()))?;
    Ok(ImprovementChange {
        // A word that was refused has ended the check above.
        status: status.flatten(),
        priority: priority.flatten(),
        evaluation: evaluation.map(Option::flatten),
        ..ImprovementChange::default()
    })
}
