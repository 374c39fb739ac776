//! GET /v2/boards/{id}: one board.

use axum::response::Response;

use crate::entities;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::read::Point;

static RECORDS: Point = Point::new(&entities::BOARD, "board");

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    RECORDS.answer(call).await
}
