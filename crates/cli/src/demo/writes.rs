//! The story's writes: an incident from report to resolution, and the evaluation of an improvement.

use std::io::Write;
use std::time::Instant;

use anyhow::{Context as _, Result};
use comfy_table::Table;
use obeya::Client;
use obeya::model::{
    Category, CategoryInput, CauseInput, ConsequenceInput, CustomFieldInput, EvaluationStatusV1,
    GroupV2, ImprovementStatus, ImprovementUpdate, IncidentCreate, IncidentSeverity,
    IncidentStatus, IncidentTypeDetail, IncidentUpdate, IncidentV1, Patch, Timestamp,
};

use super::heading;
use crate::table::{format_duration, table};

/// The type of equipment failures.
const EQUIPMENT_FAILURE: i32 = 3;

/// Reports a leak, follows it up and resolves it. The categories of the type are requested in Norwegian.
pub(super) async fn incident(
    out: &mut impl Write,
    client: &Client,
    mechanics: &GroupV2,
) -> Result<()> {
    heading(out, 6, "An incident, from the report to its resolution")?;
    let incidents = client.incidents();
    let started = Instant::now();
    let kind = incidents
        .type_detail(EQUIPMENT_FAILURE)
        .language("nb-NO")
        .await?;
    writeln!(
        out,
        "   GET /v1/Incidents/types/{EQUIPMENT_FAILURE}?language=nb-NO in {}: {}",
        format_duration(started.elapsed()),
        kind.title
    )?;
    let leak =
        category(&kind.categories, "Lekkasje").context("the type has no category Lekkasje")?;

    let now = Timestamp::now();
    let mut rows = table(
        &[
            "Step",
            "Status",
            "Causes",
            "Consequences",
            "External id",
            "Time",
        ],
        &[5],
    );
    let step = Instant::now();
    let created = incidents
        .create(&report(&kind, leak, mechanics, now))
        .await?;
    row(&mut rows, "POST /v1/Incidents", &created, step);

    let step = Instant::now();
    let consequences: Vec<ConsequenceInput> = kind
        .consequences
        .iter()
        .zip([95.0, 12_400.0])
        .map(|(part, amount)| ConsequenceInput {
            amount: Some(amount),
            ..ConsequenceInput::new(part.id)
        })
        .collect();
    let changed = incidents
        .set_consequences(created.id, &consequences)
        .await?;
    row(&mut rows, "PUT …/consequences", &changed, step);

    let step = Instant::now();
    let causes: Vec<CauseInput> = kind
        .causes
        .iter()
        .filter(|cause| ["Slitasje", "Forurensning"].contains(&cause.title.as_str()))
        .map(|cause| CauseInput::new(cause.id))
        .collect();
    let changed = incidents.set_causes(created.id, &causes).await?;
    row(&mut rows, "PUT …/causes", &changed, step);

    let step = Instant::now();
    let changed = incidents.set_external_id(created.id, "SAP-4711082").await?;
    row(&mut rows, "PUT …/externalId", &changed, step);

    let step = Instant::now();
    let update = IncidentUpdate {
        status: Some(IncidentStatus::Resolved),
        text: Patch::Value(
            "Ny returslange montert, filter byttet. No leak after a full shift.".to_owned(),
        ),
        ..IncidentUpdate::new(
            changed.incident_type_id,
            changed.severity.clone(),
            changed.title.clone(),
            changed.incident_date,
        )
    };
    let resolved = incidents.update(created.id, &update).await?;
    row(&mut rows, "PUT /v1/Incidents/{id}", &resolved, step);
    writeln!(out, "{rows}")?;
    let when = resolved
        .resolved_date
        .map_or_else(String::new, |at| at.to_string());
    let who = resolved.responsible_display_name.unwrap_or_default();
    writeln!(
        out,
        "   Incident {} “{}”, resolved by {who} at {when}",
        resolved.id, resolved.title
    )?;
    Ok(())
}

fn report(
    kind: &IncidentTypeDetail,
    leak: i32,
    mechanics: &GroupV2,
    now: Timestamp,
) -> IncidentCreate {
    let mandatory = kind.custom_fields.iter().filter(|field| field.is_mandatory);
    let fields = mandatory
        .map(|field| CustomFieldInput {
            value: Some("M-1207".to_owned()),
            ..CustomFieldInput::new(field.id)
        })
        .collect();
    let responsible = mechanics
        .users
        .iter()
        .flatten()
        .find_map(|user| user.id.clone());
    IncidentCreate {
        text: Some("Oljedam under aggregatet, ca. 3 l. Funnet på morgenrunden.".to_owned()),
        follow_up_group_id: mechanics.id,
        responsible_user_id: responsible,
        area_id: Some(6),
        custom_fields: Some(fields),
        ..IncidentCreate::new(
            EQUIPMENT_FAILURE,
            IncidentSeverity::High,
            "Hydraulikklekkasje ved linje 5 – øverste sylinder",
            now.date(),
            vec![CategoryInput::new(leak)],
        )
    }
}

/// The id of the category with this title, at any depth of the tree.
fn category(tree: &[Category], title: &str) -> Option<i32> {
    tree.iter().find_map(|node| {
        if node.title == title {
            Some(node.id)
        } else {
            category(&node.children, title)
        }
    })
}

fn row(rows: &mut Table, step: &str, incident: &IncidentV1, started: Instant) {
    let causes: Vec<&str> = incident
        .causes
        .iter()
        .map(|cause| cause.title.as_str())
        .collect();
    let consequences: Vec<String> = incident
        .consequences
        .iter()
        .map(|part| {
            format!(
                "{} {}",
                part.amount.unwrap_or_default(),
                part.unit.as_deref().unwrap_or_default()
            )
        })
        .collect();
    rows.add_row([
        step.to_owned(),
        incident.status.to_string(),
        causes.join(", "),
        consequences.join(", "),
        incident.external_id.clone().unwrap_or_default(),
        format_duration(started.elapsed()),
    ]);
}

/// Evaluates an improvement that is implemented.
pub(super) async fn improvement(out: &mut impl Write, client: &Client, id: i32) -> Result<()> {
    heading(out, 7, "An improvement, evaluated")?;
    let started = Instant::now();
    let update = ImprovementUpdate {
        status: Some(ImprovementStatus::Evaluated),
        evaluation_status: Patch::Value(EvaluationStatusV1::Good),
        evaluation_text: Patch::Value("Omstilling ned fra 41 til 26 minutter.".to_owned()),
        gain_of_investment: Patch::Value(68_000.0),
        ..ImprovementUpdate::default()
    };
    let improvement = client.improvements().update(id, &update).await?;
    writeln!(
        out,
        "   PUT /v1/Improvements/{id} in {}",
        format_duration(started.elapsed())
    )?;
    let mut rows = table(
        &[
            "Title",
            "Status",
            "Suggested",
            "Implemented",
            "Evaluated",
            "Cost",
            "Gain",
        ],
        &[5, 6],
    );
    let date = |at: Option<Timestamp>| at.map_or_else(String::new, |at| at.date().to_string());
    let money =
        |amount: Option<f64>| amount.map_or_else(String::new, |amount| format!("{amount:.0}"));
    rows.add_row([
        improvement.title.unwrap_or_default(),
        improvement.status.to_string(),
        date(improvement.suggestion_date),
        date(improvement.implemented_date),
        date(improvement.evaluated_date),
        money(improvement.cost_of_investment),
        money(improvement.gain_of_investment),
    ]);
    writeln!(out, "{rows}")?;
    Ok(())
}
