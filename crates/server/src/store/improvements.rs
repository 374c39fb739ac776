//! Statements over improvements.

use super::engine::{Row, Value, present};
use super::incidents::known;
use super::{Session, StoreError};
use crate::domain::improvement::{Improvement, Links};
use crate::domain::improvement_state::State;
use crate::domain::words::Word;

/// An improvement as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) improvement: Improvement,
    /// Its stamp, in ticks.
    pub(crate) last_modified: i64,
}

/// The improvement as the domain sees it.
pub(crate) fn find(session: &mut dyn Session, id: i32) -> Result<Option<Stored>, StoreError> {
    let sql = "SELECT status, suggestion_date, planned_date, in_progress_date, implemented_date, evaluated_date, archived_date, archived_from,
            priority_status, title, text, due_date, external_id, group_id, category_id, project_id, suggested_by_user_id, responsible_user_id,
            cost_of_investment, gain_of_investment, cost_of_investment_hours, gain_of_investment_hours,
            estimated_cost_of_investment, estimated_gain_of_investment, estimated_cost_of_investment_hours, estimated_gain_of_investment_hours,
            evaluation_status, evaluation_text, last_modified
        FROM improvements WHERE id = ?1";
    session.first(sql, &[id.into()], stored)
}

fn stored(row: &dyn Row) -> Result<Stored, StoreError> {
    let state = State {
        status: known(row.text(0)?)?,
        dates: [
            row.int(1)?,
            row.int(2)?,
            row.int(3)?,
            row.int(4)?,
            row.int(5)?,
        ],
        archived: row.int(6)?,
        archived_from: word(row, 7)?,
    };
    let links = Links {
        group_id: row.int32(13)?,
        category_id: row.int32(14)?,
        project_id: row.int32(15)?,
        suggested_by_user_id: row.string(16)?,
        responsible_user_id: row.string(17)?,
    };
    let mut amounts = [None; 8];
    for (amount, column) in amounts.iter_mut().zip(18..) {
        *amount = row.real(column)?;
    }
    Ok(Stored {
        improvement: Improvement {
            state,
            priority: known(row.text(8)?)?,
            title: row.string(9)?,
            text: row.string(10)?,
            due_date: row.int(11)?,
            external_id: row.string(12)?,
            links,
            amounts,
            evaluation: word(row, 26)?,
            evaluation_text: row.string(27)?,
        },
        last_modified: present(row.int(28)?)?,
    })
}

fn word<T: Word>(row: &dyn Row, column: usize) -> Result<Option<T>, StoreError> {
    row.text(column)?.map(|word| known(Some(word))).transpose()
}

/// Replaces what the domain may change. An API client is no user, so nobody is named as the one who changed it.
pub(crate) fn update(
    session: &mut dyn Session,
    id: i32,
    improvement: &Improvement,
    stamp: i64,
) -> Result<(), StoreError> {
    let sql = "UPDATE improvements SET status = ?2, suggestion_date = ?3, planned_date = ?4, in_progress_date = ?5, implemented_date = ?6,
            evaluated_date = ?7, archived_date = ?8, archived_from = ?9, priority_status = ?10, title = ?11, text = ?12, due_date = ?13,
            external_id = ?14, group_id = ?15, category_id = ?16, project_id = ?17, responsible_user_id = ?19,
            suggested_by = CASE WHEN suggested_by_user_id IS NOT DISTINCT FROM ?18 THEN suggested_by ELSE NULL END, suggested_by_user_id = ?18,
            cost_of_investment = ?20, gain_of_investment = ?21, cost_of_investment_hours = ?22, gain_of_investment_hours = ?23,
            estimated_cost_of_investment = ?24, estimated_gain_of_investment = ?25,
            estimated_cost_of_investment_hours = ?26, estimated_gain_of_investment_hours = ?27,
            evaluation_status = ?28, evaluation_text = ?29, last_modified = ?30, last_modified_by_user_id = NULL
        WHERE id = ?1";
    let mut binds = vec![id.into()];
    binds.extend(columns(improvement, stamp));
    session.execute_deferred(sql, &binds)
}

/// Adds an improvement; its id.
pub(crate) fn insert(
    session: &mut dyn Session,
    improvement: &Improvement,
    stamp: i64,
) -> Result<i32, StoreError> {
    let sql = "INSERT INTO improvements (status, suggestion_date, planned_date, in_progress_date, implemented_date,
            evaluated_date, archived_date, archived_from, priority_status, title, text, due_date,
            external_id, group_id, category_id, project_id, suggested_by_user_id, responsible_user_id,
            cost_of_investment, gain_of_investment, cost_of_investment_hours, gain_of_investment_hours,
            estimated_cost_of_investment, estimated_gain_of_investment, estimated_cost_of_investment_hours, estimated_gain_of_investment_hours,
            evaluation_status, evaluation_text, last_modified)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29)
        RETURNING id";
    let id = session.first(sql, &columns(improvement, stamp), |row| row.int32(0))?;
    present(id.flatten())
}

/// Removes the improvement; whether it was there.
pub(crate) fn delete(session: &mut dyn Session, id: i32) -> Result<bool, StoreError> {
    let removed = session.execute("DELETE FROM improvements WHERE id = ?1", &[id.into()])?;
    Ok(removed > 0)
}

/// What the domain may change and the stamp, in the order of the statements above.
fn columns(improvement: &Improvement, stamp: i64) -> Vec<Value<'_>> {
    let (state, links) = (&improvement.state, &improvement.links);
    let mut columns: Vec<Value<'_>> = vec![state.status.word().into()];
    columns.extend(state.dates.iter().map(|date| Value::from(*date)));
    let archive_and_links: [Value<'_>; 12] = [
        state.archived.into(),
        state.archived_from.map(Word::word).into(),
        improvement.priority.word().into(),
        improvement.title.as_deref().into(),
        improvement.text.as_deref().into(),
        improvement.due_date.into(),
        improvement.external_id.as_deref().into(),
        links.group_id.into(),
        links.category_id.into(),
        links.project_id.into(),
        links.suggested_by_user_id.as_deref().into(),
        links.responsible_user_id.as_deref().into(),
    ];
    columns.extend(archive_and_links);
    columns.extend(
        improvement
            .amounts
            .iter()
            .map(|amount| Value::from(*amount)),
    );
    let rest: [Value<'_>; 3] = [
        improvement.evaluation.map(Word::word).into(),
        improvement.evaluation_text.as_deref().into(),
        stamp.into(),
    ];
    columns.extend(rest);
    columns
}
