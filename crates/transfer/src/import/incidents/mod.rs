//! `incidents.jsonl`: incidents as v1 gives them, those in the trash (with a `deletedDate`) included.

use std::mem::take;
use std::ops::RangeInclusive;

use crate::import::OnConflict;
use crate::import::error::{ImportError, Location};
use crate::import::folder::Source;
use crate::import::ids::SeenIds;
use crate::import::run::{LineAction, Run, leaves_ids, length, refer, refer_part, refer_user};
use obeya_model::bounds::schemas::incident_create;
use obeya_model::{Patch, Timestamp};
use obeya_rules::enums::IncidentStatus;
use obeya_store::tables::incidents::{
    ConsequenceLine, CustomFieldLine, IncidentLine, IncidentRow, PartLine,
};
use obeya_store::variant::Variant;
use obeya_store::{incidents, search};

/// Degrees north of the equator, and east of Greenwich.
const LATITUDES: RangeInclusive<f64> = -90.0..=90.0;
const LONGITUDES: RangeInclusive<f64> = -180.0..=180.0;
const ACCURACIES: RangeInclusive<f64> = 0.0..=f64::INFINITY;

/// Reads `incidents.jsonl`.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let mut seen = SeenIds::default();
    run.each(source, |run, location, mut line: IncidentLine| {
        let exists = run.known.incidents.contains(&line.id);
        let action = run.action(location, &mut seen, &line.id, exists)?;
        if action == LineAction::Skip {
            return Ok(());
        }
        check(run, location, &line)?;
        run.known.incidents.insert(line.id);
        let default = last_change(&line).ticks();
        let requested = line.last_modified;
        let stamp = run
            .stamps
            .assign(location, "lastModified", action, requested, default)?;
        run.collected.incidents.insert(line.id);
        let parts = Parts::take(&mut line);
        let row = row(line, stamp);
        run.execute(&IncidentRow::statements().upsert, &row.cells())?;
        if action == LineAction::Replace {
            incidents::clear_parts(run.session, row.id)?;
        }
        parts.write(run, location, &row)?;
        search::put_incident(run.session, row.id, &row.title, row.text.as_deref())?;
        Ok(())
    })
}

fn check(run: &Run<'_>, location: Location<'_>, line: &IncidentLine) -> Result<(), ImportError> {
    let known = &run.known;
    leaves_ids(location, "id", line.id, "incidents")?;
    length(
        location,
        "title",
        Some(&line.title),
        &incident_create::title::LENGTH,
    )?;
    refer(
        location,
        "incidentTypeId",
        Some(line.incident_type_id),
        &known.incident_types,
        "an incident type",
    )?;
    refer(
        location,
        "projectId",
        line.project_id,
        &known.projects,
        "a project",
    )?;
    refer(location, "areaId", line.area_id, &known.areas, "an area")?;
    refer(
        location,
        "reportedByGroupId",
        line.reported_by_group_id,
        &known.groups,
        "a group",
    )?;
    refer(
        location,
        "followUpGroupId",
        line.follow_up_group_id,
        &known.groups,
        "a group",
    )?;
    refer_user(
        location,
        "reportedByUserId",
        line.reported_by_user_id.as_deref(),
        &known.users,
    )?;
    refer_user(
        location,
        "responsibleUserId",
        line.responsible_user_id.as_deref(),
        &known.users,
    )?;
    refer_user(
        location,
        "lastModifiedByUserId",
        line.last_modified_by_user_id.as_deref(),
        &known.users,
    )?;
    check_place(location, line)?;
    let kind = line.incident_type_id;
    for (n, part) in line.categories.iter().enumerate() {
        refer_part(
            location,
            &format!("categories[{n}].id"),
            part.id,
            &known.categories,
            kind,
            "a category",
        )?;
    }
    for (n, part) in line.causes.iter().enumerate() {
        refer_part(
            location,
            &format!("causes[{n}].id"),
            part.id,
            &known.causes,
            kind,
            "a cause",
        )?;
    }
    for (n, part) in line.consequences.iter().enumerate() {
        refer_part(
            location,
            &format!("consequences[{n}].id"),
            part.id,
            &known.consequences,
            kind,
            "a consequence",
        )?;
    }
    for (n, part) in line.custom_fields.iter().enumerate() {
        refer_part(
            location,
            &format!("customFields[{n}].id"),
            part.id,
            &known.custom_fields,
            kind,
            "a custom field",
        )?;
    }
    let lists = [
        ("categories", ids(&line.categories, |part| part.id)),
        ("causes", ids(&line.causes, |part| part.id)),
        ("consequences", ids(&line.consequences, |part| part.id)),
        ("customFields", ids(&line.custom_fields, |part| part.id)),
    ];
    for (field, mut ids) in lists {
        ids.sort_unstable();
        if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(location.field_error(
                field,
                format_args!("{} twice", twice[0]),
                "each id once",
            ));
        }
    }
    Ok(())
}

/// Checks that the place is on Earth.
fn check_place(location: Location<'_>, line: &IncidentLine) -> Result<(), ImportError> {
    for (field, value, bounds) in [
        ("latitude", line.latitude, LATITUDES),
        ("longitude", line.longitude, LONGITUDES),
        ("accuracyInMeters", line.accuracy_in_meters, ACCURACIES),
    ] {
        if let Some(value) = value.filter(|value| !bounds.contains(value)) {
            let expected = match bounds.end().is_finite() {
                true => format!("a number from {} to {}", bounds.start(), bounds.end()),
                false => format!("a number from {} up", bounds.start()),
            };
            return Err(location.field_error(field, value, expected));
        }
    }
    Ok(())
}

fn ids<T>(parts: &[T], id: impl Fn(&T) -> i32) -> Vec<i32> {
    parts.iter().map(id).collect()
}

/// When the incident was reported, by default at the start of the day it happened on.
fn reported(line: &IncidentLine) -> Timestamp {
    line.reported_date
        .unwrap_or_else(|| Timestamp::midnight(line.incident_date))
}

/// The latest change that the line has a date of: the default of its stamp.
fn last_change(line: &IncidentLine) -> Timestamp {
    let reported = reported(line);
    line.resolved_date
        .map_or(reported, |resolved| resolved.max(reported))
}

/// The row of a line. v1 does not say when a status was entered, so defaults are derived from the dates it
/// has: an incident is new when it is reported, and its last change is the best guess for the others.
fn row(line: IncidentLine, stamp: i64) -> IncidentRow {
    let reported = reported(&line);
    let modified = line.last_modified.unwrap_or_else(|| last_change(&line));
    let status = line.status.map_or(IncidentStatus::New, Variant::to_enum);
    let status_modified = match status {
        IncidentStatus::New => reported,
        IncidentStatus::Resolved => line.resolved_date.unwrap_or(modified),
        IncidentStatus::InProgress | IncidentStatus::Rejected => modified,
    };
    let entered = |date: Patch<Timestamp>, into| date.apply((status == into).then_some(modified));
    IncidentRow {
        reported_date: reported.ticks(),
        last_modified: stamp,
        status_modified_date: line.status_modified_date.apply(Some(status_modified)),
        status_new_date: line.status_new_date.apply(Some(reported)),
        status_in_progress_date: entered(line.status_in_progress_date, IncidentStatus::InProgress),
        status_rejected_date: entered(line.status_rejected_date, IncidentStatus::Rejected),
        ..IncidentRow::from_line(line)
    }
}

/// What a line has for the incident's child tables.
struct Parts {
    categories: Vec<PartLine>,
    causes: Vec<PartLine>,
    consequences: Vec<ConsequenceLine>,
    custom_fields: Vec<CustomFieldLine>,
}

impl Parts {
    fn take(line: &mut IncidentLine) -> Self {
        Self {
            categories: take(&mut line.categories),
            causes: take(&mut line.causes),
            consequences: take(&mut line.consequences),
            custom_fields: take(&mut line.custom_fields),
        }
    }

    fn write(
        &self,
        run: &mut Run<'_>,
        location: Location<'_>,
        incident: &IncidentRow,
    ) -> Result<(), ImportError> {
        let id = incident.id;
        incidents::add_categories(run.session, id, self.categories.iter().map(|part| part.id))?;
        incidents::add_causes(run.session, id, self.causes.iter().map(|part| part.id))?;
        let consequences = self.consequences.iter().map(|part| (part.id, part.amount));
        incidents::add_consequences(run.session, id, consequences)?;
        for (n, part) in self.custom_fields.iter().enumerate() {
            if let Some(list) = part.data_list_id {
                data_list(
                    run,
                    location,
                    &format!("customFields[{n}]"),
                    part.id,
                    list,
                    part.data_list_name.as_deref(),
                )?;
            }
            let registered = part.registration_date.map(Timestamp::ticks);
            run.execute(
                "INSERT INTO incident_custom_fields \
                 (incident_id, custom_field_id, value, data_list_value, registration_date) \
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                &[
                    id.into(),
                    part.id.into(),
                    part.value.as_deref().into(),
                    part.data_list_value.as_deref().into(),
                    registered.unwrap_or(incident.reported_date).into(),
                ],
            )?;
        }
        Ok(())
    }
}

/// On the wire only a chosen entry includes the name of its list. Unless the folder has a file of lists, the
/// first line with the name creates the list, or renames it when existing records are replaced. The lines of
/// one folder must agree.
fn data_list(
    run: &mut Run<'_>,
    location: Location<'_>,
    field: &str,
    custom_field: i32,
    list: i32,
    name: Option<&str>,
) -> Result<(), ImportError> {
    let of_type = list_of_field(run, custom_field)?;
    if of_type != Some(list.into()) {
        let expected = of_type.map_or("nothing: the type's field has no list".to_owned(), |id| {
            format!("{id}, the list of the type's field")
        });
        return Err(location.field_error(&format!("{field}.dataListId"), list, expected));
    }
    let Some(name) = name else { return Ok(()) };
    match run.collected.data_lists.get(&list) {
        Some(known) if known == name => return Ok(()),
        Some(known) => {
            return Err(location.field_error(
                &format!("{field}.dataListName"),
                format_args!("\"{name}\""),
                format_args!("\"{known}\", the name list {list} has already"),
            ));
        }
        None => run.collected.data_lists.insert(list, name.to_owned()),
    };
    let conflict = match run.on_conflict {
        OnConflict::Replace => "(id) DO UPDATE SET name = excluded.name",
        OnConflict::Fail | OnConflict::Skip => "DO NOTHING",
    };
    run.execute(
        &format!("INSERT INTO data_lists (id, name) VALUES (?1, ?2) ON CONFLICT {conflict}"),
        &[list.into(), name.into()],
    )
}

/// The data list of a field. Types are read before incidents, so the lookup can be cached.
fn list_of_field(run: &mut Run<'_>, custom_field: i32) -> Result<Option<i64>, ImportError> {
    if let Some(list) = run.collected.lists_of_fields.get(&custom_field) {
        return Ok(*list);
    }
    let sql = "SELECT data_list_id FROM type_custom_fields WHERE id = ?1";
    let list = run
        .session
        .first(sql, &[custom_field.into()], |row| row.int(0))?
        .flatten();
    run.collected.lists_of_fields.insert(custom_field, list);
    Ok(list)
}
