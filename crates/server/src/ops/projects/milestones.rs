//! The milestones of a project, which an address names by its number.

use std::ops::RangeInclusive;

use obeya_model::bounds::schemas::{project_milestone_create, project_milestone_update};
use obeya_model::{ProjectMilestoneCreate, ProjectMilestoneUpdate};
use obeya_odata::sql::{Predicate, Value};
use serde::Serialize;

use super::{id_of, reads};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::{NoBody, json};
use crate::ops::reading;
use crate::ops::view::WrittenRecord;
use crate::ops::writing::{self, Decision, Written};
use obeya_read::{RecordForm, RecordPlan, Records, check_options};
use obeya_rules::error::DomainError;
use obeya_rules::validate::Check;
use obeya_store::audit::{Change, Diff};
use obeya_store::projects::{self, Milestone};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, entities};

static FORM: RecordForm = RecordForm::of(&entities::PROJECT_MILESTONE);
static RECORD: RecordPlan = RecordPlan::new(RecordForm::of(&entities::PROJECT_MILESTONE));

/// GET /v1/Projects/{projectNumber}/milestones: the milestones in the order of their planned dates.
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    check_options(call.query(), &[], &call.app.config.limits.query)?;
    let project = reads::named(&call).await?;
    let of_project = Predicate::new("{t}.project_id = ?", [Value::Int(project.into())]);
    reading::read(call, |request| {
        Ok(Records::in_order(request, &FORM, "$orderby=plannedDate")?
            .only(of_project)
            .under(reads::parent(project)))
    })
    .await
}

/// POST /v1/Projects/{projectNumber}/milestones
pub(crate) async fn create(call: Call) -> Result<Response, Problem> {
    let number = call.name()?;
    writing::write(call, json::<ProjectMilestoneCreate>(), |body, context| {
        context.sets(&body)?;
        check_name(&body.name, &project_milestone_create::name::LENGTH)?;
        let milestone = Milestone {
            name: body.name,
            planned_date: body.planned_date,
            actual_date: body.actual_date,
        };
        Ok(Decision::record(answer, move |session| {
            insert(session, &number, &milestone)
        }))
    })
    .await
}

/// PUT /v1/Projects/{projectNumber}/milestones/{milestoneId}
pub(crate) async fn update(call: Call) -> Result<Response, Problem> {
    let (number, id) = (call.name()?, call.id_at(1)?);
    writing::write(call, json::<ProjectMilestoneUpdate>(), |body, context| {
        context.sets(&body)?;
        check_name(&body.name, &project_milestone_update::name::LENGTH)?;
        let project = number.clone();
        let work = move |session: &mut dyn Session| change(session, &project, id, &body);
        Ok(Decision::record(answer, work).against(current(number, id)))
    })
    .await
}

/// DELETE /v1/Projects/{projectNumber}/milestones/{milestoneId}
pub(crate) async fn delete(call: Call) -> Result<Response, Problem> {
    let (number, id) = (call.name()?, call.id_at(1)?);
    writing::write(call, NoBody, |(), _| {
        let project = number.clone();
        let work = move |session: &mut dyn Session| {
            let (project, milestone) = find(session, &project, id)?;
            projects::delete_milestone(session, id)?;
            Ok(changed(project, id, Some(&milestone), None))
        };
        Ok(Decision::empty(work).against(current(number, id)))
    })
    .await
}

fn check_name(name: &str, allowed: &RangeInclusive<usize>) -> Result<(), DomainError> {
    let mut check = Check::default();
    check.length("name", name, allowed);
    check.finish(Some(()))
}

fn insert(
    session: &mut dyn Session,
    number: &str,
    milestone: &Milestone,
) -> Result<Written<WrittenRecord>, WriteError> {
    let project = id_of(session, number)?;
    let id = projects::add_milestone(session, project, milestone)?;
    let change = changed(project, id, None, Some(milestone));
    Ok(Written::changed(change, move |session| answer(session, id)))
}

/// Applies an update: an absent date stays, null removes it.
fn change(
    session: &mut dyn Session,
    number: &str,
    id: i32,
    body: &ProjectMilestoneUpdate,
) -> Result<Written<WrittenRecord>, WriteError> {
    let (project, before) = find(session, number, id)?;
    let after = Milestone {
        name: body.name.clone(),
        planned_date: body.planned_date.apply(before.planned_date),
        actual_date: body.actual_date.apply(before.actual_date),
    };
    let answer = move |session: &mut dyn Session| answer(session, id);
    if after == before {
        return Ok(Written::unchanged(answer));
    }
    projects::put_milestone(session, (project, id), &after)?;
    let change = changed(project, id, Some(&before), Some(&after));
    Ok(Written::changed(change, answer))
}

/// The change of a milestone, with the properties that differ.
fn changed(project: i32, id: i32, before: Option<&Milestone>, after: Option<&Milestone>) -> Change {
    let diff = Diff::default();
    let diff = differing(diff, "name", [before, after], |milestone| {
        Some(&milestone.name)
    });
    let diff = differing(diff, "plannedDate", [before, after], |milestone| {
        milestone.planned_date.as_ref()
    });
    let diff = differing(diff, "actualDate", [before, after], |milestone| {
        milestone.actual_date.as_ref()
    });
    Change::of(format!("projects/{project}/milestones/{id}"), diff)
}

fn differing<T: Serialize + PartialEq>(
    diff: Diff,
    property: &str,
    milestones: [Option<&Milestone>; 2],
    value: impl Fn(&Milestone) -> Option<&T>,
) -> Diff {
    let [before, after] = milestones.map(|milestone| milestone.and_then(&value));
    if before == after {
        return diff;
    }
    diff.property(property, before, after)
}

/// The id of the project of this number, and its milestone of this id.
fn find(session: &mut dyn Session, number: &str, id: i32) -> Result<(i32, Milestone), WriteError> {
    let project = id_of(session, number)?;
    let milestone = projects::find_milestone(session, project, id)?;
    Ok((project, milestone.ok_or(missing(id))?))
}

/// Reads the milestone with which a condition is compared.
fn current(
    number: String,
    id: i32,
) -> impl Fn(&mut dyn Session) -> Result<WrittenRecord, WriteError> + Send + 'static {
    move |session| {
        find(session, &number, id)?;
        answer(session, id)
    }
}

/// The current milestone, as a record.
fn answer(session: &mut dyn Session, id: i32) -> Result<WrittenRecord, WriteError> {
    let json = RECORD.read(session, id)?.ok_or(missing(id))?;
    Ok(WrittenRecord::new(RECORD.entity(), id, json))
}

fn missing(id: i32) -> WriteError {
    WriteError::Missing("milestone", id.into())
}
