//! Improvements.

use obeya_model::{EvaluationStatus, Improvement};

use super::cell::{Column, Kind};

/// An improvement (v1).
static IMPROVEMENT: [Column<Improvement>; 40] = [
    Column::new("id", Kind::Int, false, |r| r.id.into()),
    Column::new("status", Kind::Word, false, |r| r.status.as_str().into()),
    Column::new("priorityStatus", Kind::Word, false, |r| {
        r.priority_status.as_str().into()
    }),
    Column::new("groupId", Kind::Int, true, |r| r.group_id.into()),
    Column::new("group", Kind::Word, true, |r| r.group.as_deref().into()),
    Column::new("text", Kind::Text, true, |r| r.text.as_deref().into()),
    Column::new("title", Kind::Text, true, |r| r.title.as_deref().into()),
    Column::new("categoryId", Kind::Int, true, |r| r.category_id.into()),
    Column::new("category", Kind::Word, true, |r| {
        r.category.as_deref().into()
    }),
    Column::new("projectId", Kind::Int, true, |r| r.project_id.into()),
    Column::new("project", Kind::Word, true, |r| r.project.as_deref().into()),
    Column::new("lastModified", Kind::Instant, false, |r| {
        r.last_modified.into()
    }),
    Column::new("lastModifiedByUserId", Kind::Text, true, |r| {
        r.last_modified_by_user_id.as_deref().into()
    }),
    Column::new("suggestedByUserId", Kind::Text, true, |r| {
        r.suggested_by_user_id.as_deref().into()
    }),
    Column::new("suggestedBy", Kind::Text, true, |r| {
        r.suggested_by.as_deref().into()
    }),
    Column::new("suggestionDate", Kind::Instant, true, |r| {
        r.suggestion_date.into()
    }),
    Column::new("dueDate", Kind::Instant, true, |r| r.due_date.into()),
    Column::new("plannedDate", Kind::Instant, true, |r| {
        r.planned_date.into()
    }),
    Column::new("inProgressDate", Kind::Instant, true, |r| {
        r.in_progress_date.into()
    }),
    Column::new("implementedDate", Kind::Instant, true, |r| {
        r.implemented_date.into()
    }),
    Column::new("evaluatedDate", Kind::Instant, true, |r| {
        r.evaluated_date.into()
    }),
    Column::new("archivedDate", Kind::Instant, true, |r| {
        r.archived_date.into()
    }),
    Column::new("responsibleUserId", Kind::Text, true, |r| {
        r.responsible_user_id.as_deref().into()
    }),
    Column::new("responsibleUser", Kind::Text, true, |r| {
        r.responsible_user.as_deref().into()
    }),
    Column::new("responsibleDisplayName", Kind::Text, true, |r| {
        r.responsible_display_name.as_deref().into()
    }),
    Column::new("attachmentCount", Kind::Int, false, |r| {
        r.attachment_count.into()
    }),
    Column::new("actionListCount", Kind::Int, false, |r| {
        r.action_list_count.into()
    }),
    Column::new("commentCount", Kind::Int, false, |r| r.comment_count.into()),
    Column::new("likeCount", Kind::Int, false, |r| r.like_count.into()),
    Column::new("externalId", Kind::Text, true, |r| {
        r.external_id.as_deref().into()
    }),
    Column::new("costOfInvestment", Kind::Number, true, |r| {
        r.cost_of_investment.into()
    }),
    Column::new("gainOfInvestment", Kind::Number, true, |r| {
        r.gain_of_investment.into()
    }),
    Column::new("costOfInvestmentHours", Kind::Number, true, |r| {
        r.cost_of_investment_hours.into()
    }),
    Column::new("gainOfInvestmentHours", Kind::Number, true, |r| {
        r.gain_of_investment_hours.into()
    }),
    Column::new("estimatedCostOfInvestment", Kind::Number, true, |r| {
        r.estimated_cost_of_investment.into()
    }),
    Column::new("estimatedGainOfInvestment", Kind::Number, true, |r| {
        r.estimated_gain_of_investment.into()
    }),
    Column::new("estimatedCostOfInvestmentHours", Kind::Number, true, |r| {
        r.estimated_cost_of_investment_hours.into()
    }),
    Column::new("estimatedGainOfInvestmentHours", Kind::Number, true, |r| {
        r.estimated_gain_of_investment_hours.into()
    }),
    Column::new("evaluationStatus", Kind::Word, true, |r| {
        r.evaluation_status
            .as_ref()
            .map(EvaluationStatus::as_str)
            .into()
    }),
    Column::new("evaluationText", Kind::Text, true, |r| {
        r.evaluation_text.as_deref().into()
    }),
];

super::tabular! { Improvement: IMPROVEMENT; }
