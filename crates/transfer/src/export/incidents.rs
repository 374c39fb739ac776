//! `incidents.jsonl`, those in the trash included.

use obeya_model::Patch;

use super::ExportOptions;
use super::error::ExportError;
use super::folder::Lines;
use super::read::{Records, real, records, word};
use crate::lines::incidents::{Consequence, CustomField, IncidentLine, Part};
use obeya_store::engine::{Row, Session, StoreError, present};
use obeya_store::field::Derived;
use obeya_store::wire::{date, instant, must_instant};

const INCIDENT: &str = "id, incident_type_id, title, incident_date, text, status, severity, project_id, area_id, reported_by_group_id,
    reported_by_user_id, reported_by, reported_date, follow_up_group_id, responsible_user_id, last_modified, resolved_date, due_date,
    deleted_date, evaluation_status, evaluation_text, is_anonymous, external_id, number_of_actions, number_of_attachments,
    status_modified_date, status_new_date, status_in_progress_date, status_rejected_date, archived_date FROM incidents";

/// Writes `incidents.jsonl`.
pub(super) fn write(
    session: &mut dyn Session,
    out: &mut Lines<'_>,
    options: ExportOptions,
) -> Result<(), ExportError> {
    records(session, INCIDENT, incident, |session, mut incidents| {
        parts(session, &mut incidents)?;
        for (id, mut incident) in incidents {
            if incident.is_anonymous && !options.with_reporters {
                incident.reported_by_user_id = None;
                incident.reported_by = None;
            }
            out.put(id, &incident)?;
        }
        Ok(())
    })
}

fn parts(
    session: &mut dyn Session,
    incidents: &mut Records<IncidentLine>,
) -> Result<(), StoreError> {
    let owner = "incident_id";
    let categories = "category_id FROM incident_categories";
    incidents.parts(
        session,
        categories,
        owner,
        "category_id",
        |incident, row| {
            incident.categories.push(part(row)?);
            Ok(())
        },
    )?;
    let causes = "cause_id FROM incident_causes";
    incidents.parts(session, causes, owner, "cause_id", |incident, row| {
        incident.causes.push(part(row)?);
        Ok(())
    })?;
    let consequences = "consequence_id, amount FROM incident_consequences";
    incidents.parts(
        session,
        consequences,
        owner,
        "consequence_id",
        |incident, row| {
            incident.consequences.push(Consequence {
                id: present(row.int32(1)?)?,
                amount: real(row, 2)?,
                _unit: Derived,
                _title: Derived,
            });
            Ok(())
        },
    )?;
    let fields =
        "custom_field_id, value, data_list_value, registration_date FROM incident_custom_fields";
    incidents.parts(
        session,
        fields,
        owner,
        "custom_field_id",
        |incident, row| {
            incident.custom_fields.push(custom_field(row)?);
            Ok(())
        },
    )
}

fn part(row: &dyn Row) -> Result<Part, StoreError> {
    Ok(Part {
        id: present(row.int32(1)?)?,
        _title: Derived,
    })
}

fn custom_field(row: &dyn Row) -> Result<CustomField, StoreError> {
    Ok(CustomField {
        id: present(row.int32(1)?)?,
        value: row.string(2)?,
        data_list_value: row.string(3)?,
        // Of the type's field, which has them in its own files.
        data_list_id: None,
        data_list_name: None,
        registration_date: Some(must_instant(row, 4)?),
        _label: Derived,
        _kind: Derived,
    })
}

fn incident(row: &dyn Row) -> Result<IncidentLine, StoreError> {
    // A date that is left out is worked out, so those that are not there are told as well.
    let told = |column| Ok::<_, StoreError>(Patch::from(Some(instant(row, column)?)));
    Ok(IncidentLine {
        id: present(row.int32(0)?)?,
        incident_type_id: present(row.int32(1)?)?,
        title: present(row.string(2)?)?,
        incident_date: date(row, 3)?,
        text: row.string(4)?,
        status: word(row, 5)?,
        severity: word(row, 6)?,
        project_id: row.int32(7)?,
        area_id: row.int32(8)?,
        reported_by_group_id: row.int32(9)?,
        reported_by_user_id: row.string(10)?,
        reported_by: row.string(11)?,
        reported_date: Some(must_instant(row, 12)?),
        follow_up_group_id: row.int32(13)?,
        responsible_user_id: row.string(14)?,
        last_modified: Some(must_instant(row, 15)?),
        resolved_date: instant(row, 16)?,
        due_date: instant(row, 17)?,
        deleted_date: instant(row, 18)?,
        evaluation_status: word(row, 19)?,
        evaluation_text: row.string(20)?,
        is_anonymous: row.flag(21)?,
        external_id: row.string(22)?,
        number_of_actions: row.int32(23)?,
        number_of_attachments: row.int32(24)?,
        categories: Vec::new(),
        causes: Vec::new(),
        consequences: Vec::new(),
        custom_fields: Vec::new(),
        status_modified_date: told(25)?,
        status_new_date: told(26)?,
        status_in_progress_date: told(27)?,
        status_rejected_date: told(28)?,
        archived_date: instant(row, 29)?,
        _project: Derived,
        _incident_type: Derived,
        _reported_by_group: Derived,
        _follow_up_group: Derived,
        _responsible: Derived,
        _responsible_display_name: Derived,
        _number_of_comments: Derived,
    })
}
