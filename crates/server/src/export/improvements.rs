//! `improvements.jsonl`.

use obeya_model::Patch;

use super::error::ExportError;
use super::folder::Lines;
use super::read::{by_id, real, word};
use crate::lines::field::{Derived, Word};
use crate::lines::improvements::ImprovementLine;
use crate::store::engine::{Row, Session, StoreError, present};
use crate::store::wire::{instant, must_instant};

const IMPROVEMENT: &str = "id, status, priority_status, group_id, title, text, category_id, project_id, last_modified, last_modified_by_user_id,
    suggested_by_user_id, suggested_by, suggestion_date, due_date, planned_date, in_progress_date, implemented_date, evaluated_date,
    archived_date, archived_from, responsible_user_id, attachment_count, action_list_count, comment_count, like_count, external_id,
    cost_of_investment, gain_of_investment, cost_of_investment_hours, gain_of_investment_hours,
    estimated_cost_of_investment, estimated_gain_of_investment, estimated_cost_of_investment_hours, estimated_gain_of_investment_hours,
    evaluation_status, evaluation_text FROM improvements";

/// Writes `improvements.jsonl`.
pub(super) fn write(session: &mut dyn Session, out: &mut Lines<'_>) -> Result<(), ExportError> {
    by_id(session, IMPROVEMENT, |row| {
        let line = improvement(row)?;
        out.put(line.id, &line)
    })
}

fn improvement(row: &dyn Row) -> Result<ImprovementLine, StoreError> {
    let status = word(row, 1)?;
    let archived = status
        .as_ref()
        .is_some_and(|status: &Word<_>| status.as_str() == "Archived");
    Ok(ImprovementLine {
        id: present(row.int32(0)?)?,
        status,
        priority_status: word(row, 2)?,
        group_id: row.int32(3)?,
        title: row.string(4)?,
        text: row.string(5)?,
        category_id: row.int32(6)?,
        category: None,
        project_id: row.int32(7)?,
        last_modified: Some(must_instant(row, 8)?),
        last_modified_by_user_id: row.string(9)?,
        suggested_by_user_id: row.string(10)?,
        suggested_by: row.string(11)?,
        suggestion_date: instant(row, 12)?,
        due_date: instant(row, 13)?,
        planned_date: instant(row, 14)?,
        in_progress_date: instant(row, 15)?,
        implemented_date: instant(row, 16)?,
        evaluated_date: instant(row, 17)?,
        archived_date: instant(row, 18)?,
        archived_from: match archived {
            true => Some(word(row, 19)?).into(),
            false => Patch::Absent,
        },
        responsible_user_id: row.string(20)?,
        attachment_count: row.int32(21)?,
        action_list_count: row.int32(22)?,
        comment_count: row.int32(23)?,
        like_count: row.int32(24)?,
        external_id: row.string(25)?,
        cost_of_investment: real(row, 26)?,
        gain_of_investment: real(row, 27)?,
        cost_of_investment_hours: real(row, 28)?,
        gain_of_investment_hours: real(row, 29)?,
        estimated_cost_of_investment: real(row, 30)?,
        estimated_gain_of_investment: real(row, 31)?,
        estimated_cost_of_investment_hours: real(row, 32)?,
        estimated_gain_of_investment_hours: real(row, 33)?,
        evaluation_status: word(row, 34)?,
        evaluation_text: row.string(35)?,
        _group: Derived,
        _project: Derived,
        _responsible_user: Derived,
        _responsible_display_name: Derived,
    })
}
