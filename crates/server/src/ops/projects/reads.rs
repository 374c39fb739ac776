//! Reading projects.

use super::{FORM, RECORD};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::Records;
use obeya_read::text::quoted;
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
