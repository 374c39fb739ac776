//! Boards.

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::{List, PointQuery, RecordForm, Records};
use obeya_store::{boards, entities};

static BOARD: PointQuery = PointQuery::new(&entities::BOARD, "board");
static BOARD_V1: RecordForm = RecordForm::of(&entities::BOARD_V1);

/// GET /v2/boards
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| List::of(&entities::BOARD).prepare(request)).await
}

/// GET /v2/boards/{id}
pub(crate) async fn get(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| BOARD.prepare(request, id)).await
}

/// GET /v1/Boards
pub(crate) async fn list_v1(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| Records::filtered(request, &BOARD_V1)).await
}

/// GET /v1/Boards/{id}
pub(crate) async fn get_detail(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let board = call
        .look_up(move |session| boards::detail(session, id))
        .await?;
    let board = board.ok_or_else(|| Problem::not_found("board", id))?;
    call.reply_json_record(&board)
}
