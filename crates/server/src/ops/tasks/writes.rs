//! Writing tasks by v1.

use obeya_model::{TaskDeletionMode, TaskInfoCreate, TaskInfoUpdate};

use super::place::Place;
use super::{answer_v1, changes};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::NoBody;
use crate::ops::writing::{self, Decision, Written};
use obeya_store::Session;

/// POST /v1/Boards/{id}/tasks
pub(crate) async fn create_of_board(call: Call) -> Result<Response, Problem> {
    let board = call.id()?;
    create_in(call, Place::Board(board)).await
}

/// POST /v1/Projects/{projectNumber}/tasks
pub(crate) async fn create_of_project(call: Call) -> Result<Response, Problem> {
    let number = call.name()?;
    create_in(call, Place::Project(number)).await
}

/// POST /v1/Tasks
pub(crate) async fn create(call: Call) -> Result<Response, Problem> {
    create_in(call, Place::Body).await
}

/// POST /v1/Tasks/{id}/SubTasks: the task belongs to what the task above it belongs to.
pub(crate) async fn create_sub_task(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    create_in(call, Place::Below(id)).await
}

async fn create_in(call: Call, place: Place) -> Result<Response, Problem> {
    changes::create(call, answer_v1, |_: &TaskInfoCreate| place).await
}

/// PUT /v1/Tasks/{id}
pub(crate) async fn update(call: Call) -> Result<Response, Problem> {
    changes::update::<TaskInfoUpdate>(call, answer_v1).await
}

/// DELETE /v1/Tasks/{id}: deletes a task with those below it. The answer is the task as it was.
pub(crate) async fn delete(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, NoBody, |(), context| {
        let now = context.now;
        let work = move |session: &mut dyn Session| {
            let before = answer_v1(session, id)?;
            let change = changes::delete(session, id, &TaskDeletionMode::Cascade, now)?;
            Ok(Written::changed(change, move |_| Ok(before.deleted())))
        };
        Ok(Decision::record(answer_v1, work).against(move |session| answer_v1(session, id)))
    })
    .await
}
