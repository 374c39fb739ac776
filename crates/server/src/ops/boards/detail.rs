//! GET /v1/Boards/{id}

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use obeya_store::boards;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let board = call
        .app
        .store
        .look_up(move |session| boards::detail(session, id).map_err(Problem::from))
        .await?;
    let board = board.ok_or_else(|| Problem::not_found("board", id))?;
    call.reply_json_record(&board)
}
