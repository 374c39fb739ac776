//! An incident as v1 answers with it: every name resolved, everything that hangs on it.

use obeya_model::{
    CategoryReference, CauseReference, Incident, IncidentConsequence, IncidentCustomField,
};

use crate::store::engine::{Row, present};
use crate::store::wire::{date, instant, must_instant};
use crate::store::{Session, StoreError};

const RECORD: &str = "SELECT id, project, incident_type, reported_by_group, reported_by_user_id, reported_by, reported_date,
    follow_up_group, responsible, responsible_display_name, last_modified,
    number_of_comments, number_of_actions, number_of_attachments,
    status, incident_type_id, severity, reported_by_group_id, follow_up_group_id, responsible_user_id,
    title, text, incident_date, resolved_date, due_date, evaluation_status, evaluation_text, is_anonymous,
    area_id, project_id, external_id
    FROM incident_records WHERE id = ?1 AND deleted_date IS NULL";
const CATEGORIES: &str = "SELECT p.id, p.title FROM incident_categories AS m JOIN type_categories AS p ON p.id = m.category_id
    WHERE m.incident_id = ?1 ORDER BY p.sort_order, p.id";
const CONSEQUENCES: &str = "SELECT p.id, p.title, p.unit, m.amount FROM incident_consequences AS m JOIN type_consequences AS p ON p.id = m.consequence_id
    WHERE m.incident_id = ?1 ORDER BY p.id";
const CAUSES: &str =
    "SELECT p.id, p.title FROM incident_causes AS m JOIN type_causes AS p ON p.id = m.cause_id
    WHERE m.incident_id = ?1 ORDER BY p.sort_order, p.id";
const CUSTOM_FIELDS: &str = "SELECT p.id, m.value, m.data_list_value, p.data_list_id, l.name, m.registration_date, p.label, p.type
    FROM incident_custom_fields AS m
    JOIN type_custom_fields AS p ON p.id = m.custom_field_id
    LEFT JOIN data_lists AS l ON l.id = p.data_list_id
    WHERE m.incident_id = ?1 ORDER BY p.sort_order, p.id";

/// The incident, unless it is in the trash.
pub(crate) fn record(session: &mut dyn Session, id: i32) -> Result<Option<Incident>, StoreError> {
    for sql in [RECORD, CATEGORIES, CONSEQUENCES, CAUSES, CUSTOM_FIELDS] {
        session.prefetch(sql, &[id.into()])?;
    }
    let Some(mut incident) = session.first(RECORD, &[id.into()], scalars)? else {
        return Ok(None);
    };
    incident.categories = categories(session, id)?;
    incident.consequences = consequences(session, id)?;
    incident.causes = causes(session, id)?;
    incident.custom_fields = custom_fields(session, id)?;
    Ok(Some(incident))
}

fn scalars(row: &dyn Row) -> Result<Incident, StoreError> {
    Ok(Incident {
        id: present(row.int32(0)?)?,
        project: row.string(1)?,
        incident_type: present(row.string(2)?)?,
        reported_by_group: row.string(3)?,
        reported_by_user_id: row.string(4)?,
        reported_by: row.string(5)?,
        reported_date: must_instant(row, 6)?,
        follow_up_group: row.string(7)?,
        responsible: row.string(8)?,
        responsible_display_name: row.string(9)?,
        last_modified: must_instant(row, 10)?,
        number_of_comments: present(row.int32(11)?)?,
        number_of_actions: present(row.int32(12)?)?,
        number_of_attachments: present(row.int32(13)?)?,
        consequences: Vec::new(),
        categories: Vec::new(),
        causes: Vec::new(),
        custom_fields: Vec::new(),
        status: present(row.text(14)?)?.into(),
        incident_type_id: present(row.int32(15)?)?,
        severity: present(row.text(16)?)?.into(),
        reported_by_group_id: row.int32(17)?,
        follow_up_group_id: row.int32(18)?,
        responsible_user_id: row.string(19)?,
        title: present(row.string(20)?)?,
        text: row.string(21)?,
        incident_date: date(row, 22)?,
        resolved_date: instant(row, 23)?,
        due_date: instant(row, 24)?,
        evaluation_status: row.text(25)?.map(Into::into),
        evaluation_text: row.string(26)?,
        is_anonymous: row.flag(27)?,
        area_id: row.int32(28)?,
        project_id: row.int32(29)?,
        external_id: row.string(30)?,
    })
}

fn categories(session: &mut dyn Session, id: i32) -> Result<Vec<CategoryReference>, StoreError> {
    session.all(CATEGORIES, &[id.into()], |row| {
        Ok(CategoryReference {
            id: present(row.int32(0)?)?,
            title: present(row.string(1)?)?,
        })
    })
}

fn consequences(
    session: &mut dyn Session,
    id: i32,
) -> Result<Vec<IncidentConsequence>, StoreError> {
    session.all(CONSEQUENCES, &[id.into()], |row| {
        Ok(IncidentConsequence {
            id: present(row.int32(0)?)?,
            title: present(row.string(1)?)?,
            unit: row.string(2)?,
            amount: row.real(3)?,
        })
    })
}

fn causes(session: &mut dyn Session, id: i32) -> Result<Vec<CauseReference>, StoreError> {
    session.all(CAUSES, &[id.into()], |row| {
        Ok(CauseReference {
            id: present(row.int32(0)?)?,
            title: present(row.string(1)?)?,
        })
    })
}

fn custom_fields(
    session: &mut dyn Session,
    id: i32,
) -> Result<Vec<IncidentCustomField>, StoreError> {
    session.all(CUSTOM_FIELDS, &[id.into()], |row| {
        Ok(IncidentCustomField {
            id: present(row.int32(0)?)?,
            value: row.string(1)?,
            data_list_value: row.string(2)?,
            data_list_id: row.int32(3)?,
            data_list_name: row.string(4)?,
            registration_date: instant(row, 5)?,
            label: present(row.string(6)?)?,
            type_: present(row.string(7)?)?,
        })
    })
}
