//! The check that the service answers.

use obeya_model::Timestamp;
use obeya_odata::OptionName;
use obeya_read::check_options;

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;

/// GET /v2/ping: the time of the service's clock.
pub(crate) async fn ping(call: Call) -> Result<Response, Problem> {
    check_options(call.query(), OptionName::ALL, &call.app.config.limits.query)?;
    let now = Timestamp::from_ticks(call.now())
        .ok_or_else(|| Problem::internal("the clock is outside the years 0 to 9999"))?;
    call.reply_json(&now)
}
