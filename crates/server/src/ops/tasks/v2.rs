//! Writing tasks by v2.

use obeya_model::{TaskCreate, TaskDeletionMode, TaskPatch, TaskUpdate};
use obeya_read::text::quoted;

use super::place::Place;
use super::{answer_v2, changes};
use crate::http::body::Response;
use crate::http::extract::query_parameter;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::NoBody;
use crate::ops::writing::{self, Decision};

/// POST /v2/tasks: a task of what its body names.
pub(crate) async fn create(call: Call) -> Result<Response, Problem> {
    let place = |body: &TaskCreate| body.parent_id.map_or(Place::Body, Place::BelowNamed);
    changes::create(call, answer_v2, place).await
}

/// PUT /v2/tasks/{taskId}: replaces what a body sets.
pub(crate) async fn update(call: Call) -> Result<Response, Problem> {
    changes::update::<TaskUpdate>(call, answer_v2).await
}

/// PATCH /v2/tasks/{taskId}: changes what the body has.
pub(crate) async fn patch(call: Call) -> Result<Response, Problem> {
    changes::update::<TaskPatch>(call, answer_v2).await
}

/// DELETE /v2/tasks/{taskId}
pub(crate) async fn delete(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let mode = mode(call.query())?;
    writing::write(call, NoBody, |(), context| {
        let now = context.now;
        Ok(
            Decision::empty(move |session| changes::delete(session, id, &mode, now))
                .against(move |session| answer_v2(session, id)),
        )
    })
    .await
}

/// The parameter `mode`.
fn mode(query: &str) -> Result<TaskDeletionMode, Problem> {
    let Some(text) = query_parameter(query, "mode")? else {
        return Ok(TaskDeletionMode::Cascade);
    };
    match TaskDeletionMode::from(text.as_str()) {
        TaskDeletionMode::Unknown(text) => {
            let words = TaskDeletionMode::WORDS.join(" or ");
            let detail = format!("expected {words}, found {}", quoted(&text));
            Err(Problem::invalid_query("mode", detail))
        }
        mode => Ok(mode),
    }
}
