//! GET /v1/Improvements: improvements, a page at a time.

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::Records;

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| {
        Records::page(request, &super::FORM)?
            .in_period(["LastModifiedFrom", "LastModifiedTo"], "last_modified")
    })
    .await
}
