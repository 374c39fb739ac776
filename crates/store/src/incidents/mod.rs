//! Statements over incidents. An incident in the trash is not there for anybody here but what is about the
//! trash.

mod parts;
mod purge;
mod trash;

pub use parts::{
    CATEGORIES, CAUSES, CONSEQUENCES, FieldValue, StoredParts, add_categories, add_causes,
    add_consequences, add_custom_fields, clear_parts, custom_field, prefetch_custom_field,
    set_categories, set_causes, set_consequences, set_custom_field,
};
pub use purge::{RETENTION_DAYS, RETENTION_TICKS, purge, purge_some};
pub use trash::{delete, find_deleted, prefetch_deleted, restore};

use super::engine::{Row, Value, present};
use super::{Session, StoreError, search};
use obeya_rules::incident::{Incident, Places};
use obeya_rules::incident_state::State;
use obeya_rules::words::{Severity, Word};

/// An incident as it is stored.
#[derive(Debug, Clone)]
pub struct Stored {
    /// What the rules know of it.
    pub incident: Incident,
    /// Its stamp, in ticks.
    pub last_modified: i64,
}

const FIND: &str = "SELECT incident_type_id, severity, title, text, incident_date, due_date, is_anonymous, external_id,
    reported_by_group_id, follow_up_group_id, responsible_user_id, area_id, project_id,
    status, resolved_date, status_modified_date, status_new_date, status_in_progress_date, status_rejected_date,
    evaluation_status, evaluation_text, last_modified
    FROM incidents WHERE id = ?1 AND deleted_date IS NULL";

/// Says that the incident will be looked up ([`find`]).
pub fn prefetch(session: &mut dyn Session, id: i32) -> Result<(), StoreError> {
    session.prefetch(FIND, &[id.into()])
}

/// The incident, unless it is in the trash.
pub fn find(session: &mut dyn Session, id: i32) -> Result<Option<Stored>, StoreError> {
    session.first(FIND, &[id.into()], stored)
}

fn stored(row: &dyn Row) -> Result<Stored, StoreError> {
    let places = Places {
        reported_by_group_id: row.int32(8)?,
        follow_up_group_id: row.int32(9)?,
        responsible_user_id: row.string(10)?,
        area_id: row.int32(11)?,
        project_id: row.int32(12)?,
    };
    let state = State {
        status: known(row.text(13)?)?,
        resolved: row.int(14)?,
        modified: row.int(15)?,
        new: row.int(16)?,
        in_progress: row.int(17)?,
        rejected: row.int(18)?,
    };
    let severity: Severity = known(row.text(1)?)?;
    Ok(Stored {
        incident: Incident {
            incident_type_id: present(row.int32(0)?)?,
            severity,
            title: present(row.string(2)?)?,
            text: row.string(3)?,
            incident_date: present(row.int(4)?)?,
            due_date: row.int(5)?,
            is_anonymous: row.flag(6)?,
            external_id: row.string(7)?,
            places,
            state,
            evaluation: row.text(19)?.map(|word| known(Some(word))).transpose()?,
            evaluation_text: row.string(20)?,
        },
        last_modified: present(row.int(21)?)?,
    })
}

/// A word that the schema's checks let in.
pub(super) fn known<T: Word>(word: Option<&str>) -> Result<T, StoreError> {
    word.and_then(T::parse).ok_or_else(|| {
        StoreError::Schema(format!(
            "the stored word {word:?} is not one this program knows"
        ))
    })
}

/// Adds an incident that is reported `now`, by the user if one is known; its id.
pub fn insert(
    session: &mut dyn Session,
    incident: &Incident,
    reporter: Option<&str>,
    now: i64,
    stamp: i64,
) -> Result<i32, StoreError> {
    let sql = "INSERT INTO incidents (incident_type_id, severity, title, text, incident_date, due_date, is_anonymous, external_id,
            reported_by_group_id, follow_up_group_id, responsible_user_id, area_id, project_id,
            status, resolved_date, status_modified_date, status_new_date, status_in_progress_date, status_rejected_date,
            evaluation_status, evaluation_text, last_modified, reported_by_user_id, reported_date)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)
        RETURNING id";
    let mut binds = columns(incident, stamp).to_vec();
    let reported: [Value<'_>; 2] = [reporter.into(), now.into()];
    binds.extend(reported);
    let id = session.first(sql, &binds, |row| row.int32(0))?;
    let id = present(id.flatten())?;
    search::put_incident(session, id, &incident.title, incident.text.as_deref())?;
    Ok(id)
}

/// Replaces what the domain may change. Who reported an anonymous incident is forgotten when it stops being
/// anonymous: it was told in confidence.
pub fn update(
    session: &mut dyn Session,
    id: i32,
    incident: &Incident,
    stamp: i64,
) -> Result<(), StoreError> {
    let sql = "UPDATE incidents SET incident_type_id = ?1, severity = ?2, title = ?3, text = ?4, incident_date = ?5, due_date = ?6,
            reported_by_user_id = CASE WHEN is_anonymous = 1 AND CAST(?7 AS bigint) = 0 THEN NULL ELSE reported_by_user_id END,
            reported_by = CASE WHEN is_anonymous = 1 AND CAST(?7 AS bigint) = 0 THEN NULL ELSE reported_by END,
            is_anonymous = ?7, external_id = ?8,
            reported_by_group_id = ?9, follow_up_group_id = ?10, responsible_user_id = ?11, area_id = ?12, project_id = ?13,
            status = ?14, resolved_date = ?15, status_modified_date = ?16, status_new_date = ?17, status_in_progress_date = ?18,
            status_rejected_date = ?19, evaluation_status = ?20, evaluation_text = ?21, last_modified = ?22
        WHERE id = ?23";
    let mut binds = columns(incident, stamp).to_vec();
    binds.push(id.into());
    session.execute_deferred(sql, &binds)?;
    search::put_incident(session, id, &incident.title, incident.text.as_deref())
}

fn columns(incident: &Incident, stamp: i64) -> [Value<'_>; 22] {
    let (places, state) = (&incident.places, &incident.state);
    [
        incident.incident_type_id.into(),
        incident.severity.word().into(),
        (&incident.title).into(),
        incident.text.as_deref().into(),
        incident.incident_date.into(),
        incident.due_date.into(),
        incident.is_anonymous.into(),
        incident.external_id.as_deref().into(),
        places.reported_by_group_id.into(),
        places.follow_up_group_id.into(),
        places.responsible_user_id.as_deref().into(),
        places.area_id.into(),
        places.project_id.into(),
        state.status.word().into(),
        state.resolved.into(),
        state.modified.into(),
        state.new.into(),
        state.in_progress.into(),
        state.rejected.into(),
        incident.evaluation.map(Word::word).into(),
        incident.evaluation_text.as_deref().into(),
        stamp.into(),
    ]
}

/// Sets the external id.
pub fn set_external_id(
    session: &mut dyn Session,
    id: i32,
    external_id: Option<&str>,
    stamp: i64,
) -> Result<(), StoreError> {
    let binds = [id.into(), external_id.into(), stamp.into()];
    session.execute_deferred(
        "UPDATE incidents SET external_id = ?2, last_modified = ?3 WHERE id = ?1",
        &binds,
    )
}

/// Tells that something which hangs on the incident changed.
pub fn touch(session: &mut dyn Session, id: i32, stamp: i64) -> Result<(), StoreError> {
    session.execute_deferred(
        "UPDATE incidents SET last_modified = ?2 WHERE id = ?1",
        &[id.into(), stamp.into()],
    )
}
