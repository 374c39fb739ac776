//! `incidents.jsonl`: incidents as v1 gives them, those in the trash (with a `deletedDate`) included.

use crate::import::OnConflict;
use crate::import::error::{ImportError, Place};
use crate::import::folder::Source;
use crate::import::known::Seen;
use crate::import::run::{Run, Turn, leaves_ids, not_empty, refer, refer_part, refer_user, upsert};
use crate::lines::incidents::IncidentLine;
use obeya_model::{Patch, Timestamp};
use obeya_store::field::Word;
use obeya_store::search;

/// The columns after the id, in the order `write` binds them.
const COLUMNS: [&str; 29] = [
    "incident_type_id",
    "project_id",
    "area_id",
    "reported_by_group_id",
    "reported_by_user_id",
    "reported_by",
    "reported_date",
    "follow_up_group_id",
    "responsible_user_id",
    "status",
    "severity",
    "title",
    "text",
    "incident_date",
    "resolved_date",
    "due_date",
    "evaluation_status",
    "evaluation_text",
    "is_anonymous",
    "external_id",
    "number_of_actions",
    "number_of_attachments",
    "status_modified_date",
    "status_new_date",
    "status_in_progress_date",
    "status_rejected_date",
    "archived_date",
    "last_modified",
    "deleted_date",
];

/// Reads `incidents.jsonl`.
pub(super) fn read(run: &mut Run<'_>, source: &Source) -> Result<(), ImportError> {
    let sql = upsert("incidents", &["id"], &COLUMNS);
    let mut seen = Seen::default();
    run.each(source, |run, place, line: IncidentLine| {
        let exists = run.known.incidents.contains(&line.id);
        let turn = run.turn(place, &mut seen, &line.id, exists)?;
        if turn == Turn::Skip {
            return Ok(());
        }
        check(run, place, &line)?;
        run.known.incidents.insert(line.id);
        let guessed = last_change(&line);
        let told = line.last_modified;
        let stamp = run.stamps.of(place, "lastModified", turn, told, guessed)?;
        run.told.incidents.insert(line.id);
        write(run, &sql, &line, stamp)?;
        if turn == Turn::Replace {
            for table in [
                "incident_categories",
                "incident_causes",
                "incident_consequences",
                "incident_custom_fields",
            ] {
                run.execute(
                    &format!("DELETE FROM {table} WHERE incident_id = ?1"),
                    &[line.id.into()],
                )?;
            }
        }
        write_parts(run, place, &line)?;
        search::put_incident(run.session, line.id, &line.title, line.text.as_deref())?;
        Ok(())
    })
}

fn check(run: &Run<'_>, place: Place<'_>, line: &IncidentLine) -> Result<(), ImportError> {
    let known = &run.known;
    leaves_ids(place, "id", line.id, "incidents")?;
    not_empty(place, "title", &line.title)?;
    refer(
        place,
        "incidentTypeId",
        Some(line.incident_type_id),
        &known.incident_types,
        "an incident type",
    )?;
    refer(
        place,
        "projectId",
        line.project_id,
        &known.projects,
        "a project",
    )?;
    refer(place, "areaId", line.area_id, &known.areas, "an area")?;
    refer(
        place,
        "reportedByGroupId",
        line.reported_by_group_id,
        &known.groups,
        "a group",
    )?;
    refer(
        place,
        "followUpGroupId",
        line.follow_up_group_id,
        &known.groups,
        "a group",
    )?;
    refer_user(
        place,
        "reportedByUserId",
        line.reported_by_user_id.as_deref(),
        &known.users,
    )?;
    refer_user(
        place,
        "responsibleUserId",
        line.responsible_user_id.as_deref(),
        &known.users,
    )?;
    let kind = line.incident_type_id;
    for (n, part) in line.categories.iter().enumerate() {
        refer_part(
            place,
            &format!("categories[{n}].id"),
            part.id,
            &known.categories,
            kind,
            "a category",
        )?;
    }
    for (n, part) in line.causes.iter().enumerate() {
        refer_part(
            place,
            &format!("causes[{n}].id"),
            part.id,
            &known.causes,
            kind,
            "a cause",
        )?;
    }
    for (n, part) in line.consequences.iter().enumerate() {
        refer_part(
            place,
            &format!("consequences[{n}].id"),
            part.id,
            &known.consequences,
            kind,
            "a consequence",
        )?;
    }
    for (n, part) in line.custom_fields.iter().enumerate() {
        refer_part(
            place,
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
            return Err(place.fault(field, format_args!("{} twice", twice[0]), "each id once"));
        }
    }
    Ok(())
}

fn ids<T>(parts: &[T], id: impl Fn(&T) -> i32) -> Vec<i32> {
    parts.iter().map(id).collect()
}

/// When the incident was reported: what the line says, or else the start of the day it happened on.
fn reported(line: &IncidentLine) -> i64 {
    line.reported_date
        .unwrap_or_else(|| Timestamp::midnight(line.incident_date))
        .ticks()
}

/// The latest change that the line's dates tell of, which stands in for a stamp.
fn last_change(line: &IncidentLine) -> i64 {
    let reported = reported(line);
    line.resolved_date
        .map_or(reported, |resolved| resolved.ticks().max(reported))
}

fn write(run: &mut Run<'_>, sql: &str, line: &IncidentLine, stamp: i64) -> Result<(), ImportError> {
    let ticks = |at: Option<Timestamp>| at.map(Timestamp::ticks);
    let status = line.status.as_ref().map_or("New", Word::as_str);
    let reported = reported(line);
    let resolved = ticks(line.resolved_date);
    let modified = ticks(line.last_modified).unwrap_or_else(|| last_change(line));
    // v1 does not tell when a status was entered, so what it does tell stands in: an incident is new when
    // reported, and its last change is the best guess for the rest.
    let entered =
        |word: &str, told: Patch<Timestamp>| told_or(told, (status == word).then_some(modified));
    let status_modified = match status {
        "New" => Some(reported),
        "Resolved" => resolved.or(Some(modified)),
        _ => Some(modified),
    };
    run.execute(
        sql,
        &[
            line.id.into(),
            line.incident_type_id.into(),
            line.project_id.into(),
            line.area_id.into(),
            line.reported_by_group_id.into(),
            line.reported_by_user_id.as_deref().into(),
            line.reported_by.as_deref().into(),
            reported.into(),
            line.follow_up_group_id.into(),
            line.responsible_user_id.as_deref().into(),
            status.into(),
            line.severity.as_ref().map_or("None", Word::as_str).into(),
            (&line.title).into(),
            line.text.as_deref().into(),
            line.incident_date.days().into(),
            resolved.into(),
            ticks(line.due_date).into(),
            line.evaluation_status.as_ref().map(Word::as_str).into(),
            line.evaluation_text.as_deref().into(),
            line.is_anonymous.into(),
            line.external_id.as_deref().into(),
            line.number_of_actions.unwrap_or(0).into(),
            line.number_of_attachments.unwrap_or(0).into(),
            told_or(line.status_modified_date, status_modified).into(),
            told_or(line.status_new_date, Some(reported)).into(),
            entered("InProgress", line.status_in_progress_date).into(),
            entered("Rejected", line.status_rejected_date).into(),
            ticks(line.archived_date).into(),
            stamp.into(),
            ticks(line.deleted_date).into(),
        ],
    )
}

/// What a line tells, be it that there is none, and otherwise what stands in for it.
fn told_or(told: Patch<Timestamp>, guessed: Option<i64>) -> Option<i64> {
    told.map(Timestamp::ticks).apply(guessed)
}

fn write_parts(
    run: &mut Run<'_>,
    place: Place<'_>,
    line: &IncidentLine,
) -> Result<(), ImportError> {
    let id = line.id.into();
    for part in &line.categories {
        run.execute(
            "INSERT INTO incident_categories (incident_id, category_id) VALUES (?1, ?2)",
            &[id, part.id.into()],
        )?;
    }
    for part in &line.causes {
        run.execute(
            "INSERT INTO incident_causes (incident_id, cause_id) VALUES (?1, ?2)",
            &[id, part.id.into()],
        )?;
    }
    for part in &line.consequences {
        let sql = "INSERT INTO incident_consequences (incident_id, consequence_id, amount) VALUES (?1, ?2, ?3)";
        run.execute(sql, &[id, part.id.into(), part.amount.into()])?;
    }
    for (n, part) in line.custom_fields.iter().enumerate() {
        if let Some(list) = part.data_list_id {
            data_list(
                run,
                place,
                &format!("customFields[{n}]"),
                part.id,
                list,
                part.data_list_name.as_deref(),
            )?;
        }
        run.execute(
            "INSERT INTO incident_custom_fields (incident_id, custom_field_id, value, data_list_value, registration_date) \
             VALUES (?1, ?2, ?3, ?4, ?5)",
            &[
                id,
                part.id.into(),
                part.value.as_deref().into(),
                part.data_list_value.as_deref().into(),
                part.registration_date.map_or_else(|| reported(line), Timestamp::ticks).into(),
            ],
        )?;
    }
    Ok(())
}

/// The wire tells a list's name beside each choice from it, and nowhere else; unless the folder has a file of
/// lists, the first line that does gives the list its name, or a new one where the folder's records take the
/// place of those there. The lines of one folder must agree.
fn data_list(
    run: &mut Run<'_>,
    place: Place<'_>,
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
        return Err(place.fault(&format!("{field}.dataListId"), list, expected));
    }
    let Some(name) = name else { return Ok(()) };
    match run.told.data_lists.get(&list) {
        Some(told) if told == name => return Ok(()),
        Some(told) => {
            return Err(place.fault(
                &format!("{field}.dataListName"),
                format_args!("\"{name}\""),
                format_args!("\"{told}\", the name list {list} has already"),
            ));
        }
        None => run.told.data_lists.insert(list, name.to_owned()),
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

/// The list that a field draws from. Types are read before incidents, so what was looked up once holds.
fn list_of_field(run: &mut Run<'_>, custom_field: i32) -> Result<Option<i64>, ImportError> {
    if let Some(list) = run.told.lists_of_fields.get(&custom_field) {
        return Ok(*list);
    }
    let sql = "SELECT data_list_id FROM type_custom_fields WHERE id = ?1";
    let list = run
        .session
        .first(sql, &[custom_field.into()], |row| row.int(0))?
        .flatten();
    run.told.lists_of_fields.insert(custom_field, list);
    Ok(list)
}
