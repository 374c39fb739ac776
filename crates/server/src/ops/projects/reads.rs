//! Reading projects.

use super::{FORM, RECORD};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::text::quoted;
use obeya_read::{Parent, Records};
use obeya_store::projects;

/// GET /v1/Projects
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| Records::filtered(request, &FORM)).await
}

/// GET /v1/Projects/{projectNumber}
pub(crate) async fn get(call: Call) -> Result<Response, Problem> {
    let number = call.name()?;
    let named = number.clone();
    let project = call
        .look_up(move |session| match projects::id_of(session, &named)? {
            Some(id) => RECORD.read(session, id),
            None => Ok(None),
        })
        .await?;
    let project = project.ok_or_else(|| Problem::not_found("project", quoted(&number)))?;
    call.reply_whole_record(project)
}

/// The id of the project that the path names.
pub(in crate::ops) async fn named(call: &Call) -> Result<i32, Problem> {
    let number = call.name()?;
    let name = number.clone();
    let found = call.look_up(move |session| projects::id_of(session, &name));
    let missing = || Problem::not_found("project", quoted(&number));
    found.await?.ok_or_else(missing)
}

/// The project that must exist for what belongs to it to be read: it may have been deleted since it was
/// named.
pub(in crate::ops) fn parent(id: i32) -> Parent {
    Parent {
        noun: "project",
        exists: "SELECT 1 FROM projects WHERE id = ?1".into(),
        id: id.into(),
        source: None,
    }
}
