//! `incidents.jsonl`, those in the trash included.

use obeya_model::{Patch, Timestamp};

use super::ExportOptions;
use super::error::ExportError;
use super::folder::JsonlWriter;
use super::read::{Records, real, records};
use obeya_store::engine::{Row, Session, StoreError, present};
use obeya_store::field::Derived;
use obeya_store::tables::incidents::{
    ConsequenceLine, CustomFieldLine, IncidentLine, IncidentRow, PartLine,
};
use obeya_store::wire::{must_instant, timestamp};

/// Writes `incidents.jsonl`.
pub(super) fn write(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
    options: ExportOptions,
) -> Result<(), ExportError> {
    let incident = |row: &dyn Row| {
        let mut incident = IncidentRow::read(row)?;
        if incident.is_anonymous && !options.with_reporters {
            incident.forget_reporter();
        }
        line(incident)
    };
    let columns = &IncidentRow::statements().columns_from;
    records(session, columns, incident, |session, mut incidents| {
        parts(session, &mut incidents)?;
        for (id, incident) in incidents {
            out.write(id, &incident)?;
        }
        Ok(())
    })
}

fn line(row: IncidentRow) -> Result<IncidentLine, StoreError> {
    // An import derives a date that is left out, so null says that there is none.
    let status_date = |date: Option<Timestamp>| Patch::from(Some(date));
    Ok(IncidentLine {
        reported_date: Some(timestamp(row.reported_date)?),
        last_modified: Some(timestamp(row.last_modified)?),
        status_modified_date: status_date(row.status_modified_date),
        status_new_date: status_date(row.status_new_date),
        status_in_progress_date: status_date(row.status_in_progress_date),
        status_rejected_date: status_date(row.status_rejected_date),
        ..row.into_line()
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
            incident.consequences.push(ConsequenceLine {
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

fn part(row: &dyn Row) -> Result<PartLine, StoreError> {
    Ok(PartLine {
        id: present(row.int32(1)?)?,
        _title: Derived,
    })
}

fn custom_field(row: &dyn Row) -> Result<CustomFieldLine, StoreError> {
    Ok(CustomFieldLine {
        id: present(row.int32(1)?)?,
        value: row.string(2)?,
        data_list_value: row.string(3)?,
        // They belong to the field of the type and are in its files.
        data_list_id: None,
        data_list_name: None,
        registration_date: Some(must_instant(row, 4)?),
        _label: Derived,
        _kind: Derived,
    })
}
