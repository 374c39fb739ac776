//! Statements over improvements.

use obeya_model::Improvement as Record;

use super::engine::{Value, present};
use super::tables::improvements::ImprovementRow;
use super::wire::{instant, must_instant};
use super::{Session, StoreError};

/// The improvement as it is stored.
pub(crate) fn find(
    session: &mut dyn Session,
    id: i32,
) -> Result<Option<ImprovementRow>, StoreError> {
    let sql = &ImprovementRow::statements().find;
    session.first(sql, &[id.into()], ImprovementRow::read)
}

/// Replaces what a write sets.
pub(crate) fn update(session: &mut dyn Session, row: &ImprovementRow) -> Result<(), StoreError> {
    let mut binds = vec![row.id.into()];
    binds.extend(row.written());
    session.send(&ImprovementRow::statements().update, &binds)
}

/// Adds an improvement; its id.
pub(crate) fn insert(session: &mut dyn Session, row: &ImprovementRow) -> Result<i32, StoreError> {
    let binds: Vec<Value<'_>> = row.written().collect();
    let sql = &ImprovementRow::statements().insert;
    present(session.first(sql, &binds, |row| row.int32(0))?.flatten())
}

/// Removes the improvement; whether it was there.
pub(crate) fn delete(session: &mut dyn Session, id: i32) -> Result<bool, StoreError> {
    let removed = session.execute("DELETE FROM improvements WHERE id = ?1", &[id.into()])?;
    Ok(removed > 0)
}

/// The improvement as v1 answers with it: every name resolved.
pub(crate) fn record(session: &mut dyn Session, id: i32) -> Result<Option<Record>, StoreError> {
    let sql = "SELECT id, status, priority_status, group_id, group_name, text, title, category_id, category, project_id, project,
            last_modified, last_modified_by_user_id, suggested_by_user_id, suggested_by, suggestion_date, due_date,
            planned_date, in_progress_date, implemented_date, evaluated_date, archived_date,
            responsible_user_id, responsible_user, responsible_display_name,
            attachment_count, action_list_count, comment_count, like_count, external_id,
            cost_of_investment, gain_of_investment, cost_of_investment_hours, gain_of_investment_hours,
            estimated_cost_of_investment, estimated_gain_of_investment, estimated_cost_of_investment_hours, estimated_gain_of_investment_hours,
            evaluation_status, evaluation_text
        FROM improvement_records WHERE id = ?1";
    session.first(sql, &[id.into()], |row| {
        Ok(Record {
            id: present(row.int32(0)?)?,
            status: present(row.text(1)?)?.into(),
            priority_status: present(row.text(2)?)?.into(),
            group_id: row.int32(3)?,
            group: row.string(4)?,
            text: row.string(5)?,
            title: row.string(6)?,
            category_id: row.int32(7)?,
            category: row.string(8)?,
            project_id: row.int32(9)?,
            project: row.string(10)?,
            last_modified: must_instant(row, 11)?,
            last_modified_by_user_id: row.string(12)?,
            suggested_by_user_id: row.string(13)?,
            suggested_by: row.string(14)?,
            suggestion_date: instant(row, 15)?,
            due_date: instant(row, 16)?,
            planned_date: instant(row, 17)?,
            in_progress_date: instant(row, 18)?,
            implemented_date: instant(row, 19)?,
            evaluated_date: instant(row, 20)?,
            archived_date: instant(row, 21)?,
            responsible_user_id: row.string(22)?,
            responsible_user: row.string(23)?,
            responsible_display_name: row.string(24)?,
            attachment_count: present(row.int32(25)?)?,
            action_list_count: present(row.int32(26)?)?,
            comment_count: present(row.int32(27)?)?,
            like_count: present(row.int32(28)?)?,
            external_id: row.string(29)?,
            cost_of_investment: row.real(30)?,
            gain_of_investment: row.real(31)?,
            cost_of_investment_hours: row.real(32)?,
            gain_of_investment_hours: row.real(33)?,
            estimated_cost_of_investment: row.real(34)?,
            estimated_gain_of_investment: row.real(35)?,
            estimated_cost_of_investment_hours: row.real(36)?,
            estimated_gain_of_investment_hours: row.real(37)?,
            evaluation_status: row.text(38)?.map(Into::into),
            evaluation_text: row.string(39)?,
        })
    })
}
