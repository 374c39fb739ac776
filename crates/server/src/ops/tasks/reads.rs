//! Reading tasks.

use obeya_odata::sql::{Predicate, Value};

use super::{FORM, RECORD};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::incidents::reads::parent;
use crate::ops::{projects, reading};
use obeya_read::{List, Parent, PointQuery, Records, check_options};
use obeya_store::entities;

static TASK: PointQuery = PointQuery::new(&entities::TASK, "task");

/// GET /v1/Boards/{id}/tasks: one page of the tasks of a board.
pub(crate) async fn list_of_board(call: Call) -> Result<Response, Problem> {
    let board = call.id()?;
    reading::read(call, |request| {
        Ok(Records::counted_page(request, &FORM)?
            .in_period(["From", "To"], "due_date")?
            .only(of("board_id", board))
            .under(Parent {
                noun: "board",
                exists: "SELECT 1 FROM boards WHERE id = ?1".into(),
                id: board.into(),
                source: None,
            }))
    })
    .await
}

/// GET /v1/Incidents/{id}/tasks: 404 if the incident is unknown or in the trash.
pub(crate) async fn list_of_incident(call: Call) -> Result<Response, Problem> {
    let incident = call.id()?;
    reading::read(call, |request| {
        Ok(Records::all(request, &FORM, &[])?
            .only(of("incident_id", incident))
            .under(parent(incident)))
    })
    .await
}

/// GET /v1/Projects/{projectNumber}/tasks
pub(crate) async fn list_of_project(call: Call) -> Result<Response, Problem> {
    check_options(call.query(), &[], &call.app.config.limits.query)?;
    let project = projects::reads::named(&call).await?;
    reading::read(call, |request| {
        Ok(Records::all(request, &FORM, &[])?
            .only(of("project_id", project))
            .under(projects::reads::parent(project)))
    })
    .await
}

/// GET /v1/Tasks/{id}
pub(crate) async fn get(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let task = call
        .look_up(move |session| RECORD.read(session, id))
        .await?;
    let task = task.ok_or_else(|| Problem::not_found("task", id))?;
    call.reply_whole_record(task)
}

/// GET /v2/tasks
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| List::of(&entities::TASK).prepare(request)).await
}

/// GET /v2/tasks/{taskId}
pub(crate) async fn get_v2(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| TASK.prepare(request, id)).await
}

fn of(column: &str, id: i32) -> Predicate {
    Predicate::new(format!("{{t}}.{column} = ?"), [Value::Int(id.into())])
}
