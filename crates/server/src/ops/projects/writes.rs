//! Writing projects.

use std::collections::{BTreeMap, BTreeSet};

use obeya_model::{ProjectCreate, Timestamp};

use super::{answer, body, id_of};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::{NoBody, json};
use crate::ops::view::WrittenRecord;
use crate::ops::writing::{self, Decision, Written};
use obeya_read::text::quoted;
use obeya_rules::enums::MemberRole;
use obeya_rules::error::{Complaint, DomainError};
use obeya_store::audit::{Change, Diff};
use obeya_store::references::MOST_COMPLAINTS;
use obeya_store::tables::projects::{ProjectFields, ProjectRow};
use obeya_store::variant::Variant;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, projects};

/// POST /v1/Projects
pub(crate) async fn create(call: Call) -> Result<Response, Problem> {
    writing::write(call, json::<ProjectCreate>(), |body, context| {
        context.sets(&body)?;
        body::check(&body)?;
        let now = context.now;
        Ok(Decision::record(answer, move |session| {
            insert(session, &body, now)
        }))
    })
    .await
}

/// DELETE /v1/Projects/{projectNumber}: deletes a project to which nothing refers, with its milestones.
pub(crate) async fn delete(call: Call) -> Result<Response, Problem> {
    let number = call.name()?;
    writing::write(call, NoBody, |(), _| {
        let current = number.clone();
        let work = move |session: &mut dyn Session| remove(session, &number);
        Ok(Decision::empty(work).against(move |session| {
            let id = id_of(session, &current)?;
            answer(session, id)
        }))
    })
    .await
}

fn remove(session: &mut dyn Session, number: &str) -> Result<Change, WriteError> {
    let id = id_of(session, number)?;
    let project = projects::find(session, id)?.ok_or(WriteError::Missing("project", id.into()))?;
    if let Some(noun) = projects::referring(session, id)? {
        return Err(DomainError::Conflict {
            code: "project.in_use",
            detail: format!("Project {} is in use: {noun} refers to it.", quoted(number)),
        }
        .into());
    }
    let milestones = projects::milestones_of(session, id)?;
    projects::delete(session, id)?;
    let mut diff = Diff::default().rows(&ProjectRow::TABLE, Some(&project.cells()), None);
    if !milestones.is_empty() {
        diff = diff.property("milestones", Some(&milestones), None);
    }
    Ok(Change::of(format!("projects/{id}"), diff))
}

fn insert(
    session: &mut dyn Session,
    body: &ProjectCreate,
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    if projects::id_of(session, &body.project_number)?.is_some() {
        return Err(DomainError::Conflict {
            code: "project.number_exists",
            detail: "Another project has this number.".to_owned(),
        }
        .into());
    }
    let members = members(session, body)?;
    let mut project = ProjectRow {
        created_date: Timestamp::from_ticks(now),
        ..ProjectRow::default()
    };
    project.apply(ProjectFields::from(body.clone()));
    let diff = Diff::default()
        .rows(&ProjectRow::TABLE, None, Some(&project.cells()))
        .property("members", None, Some(&members));
    let id = projects::insert(session, project)?;
    for (user, role) in &members {
        projects::add_member(session, id, user, *role)?;
    }
    let change = Change::of(format!("projects/{id}"), diff);
    Ok(Written::changed(change, move |session| answer(session, id)))
}

/// The users that the body names by their e-mail addresses. One who leads the project is no further member.
fn members(
    session: &mut dyn Session,
    body: &ProjectCreate,
) -> Result<BTreeMap<String, Variant<MemberRole>>, WriteError> {
    let owner = body.owner_email.iter();
    let owner = owner.map(|email| ("ownerEmail".to_owned(), email, MemberRole::Owner));
    let others = body.members_email.iter().flatten().enumerate();
    let others = others.map(|(place, email)| {
        let field = format!("membersEmail[{place}]");
        (field, email, MemberRole::Member)
    });
    let named: Vec<_> = owner.chain(others).collect();
    let addresses: BTreeSet<&str> = named.iter().map(|(_, email, _)| email.as_str()).collect();
    let known = projects::users_of_emails(session, &addresses)?;
    let mut members = BTreeMap::new();
    let mut unknown = Vec::new();
    for (field, email, role) in named {
        match known.get(email.as_str()) {
            Some(user) => {
                members
                    .entry(user.clone())
                    .or_insert(Variant::from_enum(role));
            }
            None if unknown.len() < MOST_COMPLAINTS => unknown.push(Complaint {
                field,
                text: "there is no user with this e-mail address".to_owned(),
            }),
            None => {}
        }
    }
    if unknown.is_empty() {
        return Ok(members);
    }
    Err(DomainError::Unprocessable {
        code: "reference.unknown",
        complaints: unknown,
    }
    .into())
}
