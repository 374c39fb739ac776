//! The body of an update, in the domain's terms; what its schema says beyond types is checked here.

use obeya_model::{ImprovementUpdate, Timestamp};

use crate::domain::fault::Fault;
use crate::domain::improvement::ImprovementChange;
use crate::domain::validate::{Check, IMPROVEMENT_TITLE_MAX};
use crate::ops::never_null::Properties;

impl Properties for ImprovementUpdate {
    const NEVER_NULL: &'static [&'static str] = &["status", "priorityStatus"];
}

/// What an update asks for: absent leaves, null empties.
pub(super) fn of_update(body: ImprovementUpdate) -> Result<ImprovementChange, Fault> {
    let mut check = Check::default();
    let status = body
        .status
        .as_ref()
        .map(|word| check.word("status", word.as_str()));
    let priority = body
        .priority_status
        .as_ref()
        .map(|word| check.word("priorityStatus", word.as_str()));
    let evaluation = body
        .evaluation_status
        .as_ref()
        .map(|word| check.word("evaluationStatus", word.as_str()))
        .into_option();
    if let obeya_model::Patch::Value(title) = &body.title {
        check.at_most("title", title, IMPROVEMENT_TITLE_MAX);
    }
    check.finish(Some(()))?;
    Ok(ImprovementChange {
        // A word that was refused has ended the check above.
        status: status.flatten(),
        priority: priority.flatten(),
        evaluation: evaluation.map(Option::flatten),
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
    })
}
