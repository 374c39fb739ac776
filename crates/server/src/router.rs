//! Operation → handler. The match is exhaustive over the operations generated from the spec, so a described operation that is not
//! served does not compile, and nothing outside the spec can be served under /v1 or /v2. No rules and no parsing here.
//!
//! A handler is `pub(crate) async fn handle(call: Call) -> Result<Response, Problem>`, in the file named below. Before it runs, the
//! request was matched, the caller authenticated, the scope checked and `Accept` negotiated. From [`Call`] it takes
//! - `call.id()?` (the int32 path id; not an int32 is 400 `path.invalid`), `call.query()` (the raw query string, `""` if none),
//! - `call.json::<T>().await?` (the body: content type, size, syntax, depth, NUL, schema and `Prefer: handling=strict` all checked),
//! - `call.app` (`store`, `config`, `base_url`, …), `call.now()` (ticks, from the injected clock), `call.caller`,
//!
//! and answers with `call.reply(bytes)` (200, the negotiated media type), `call.reply_json(&value)?`, `call.reply_stream(body)`
//! or an `Err(Problem)`.

use axum::response::Response;

use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::ops;

include!(concat!(env!("OUT_DIR"), "/operations.rs"));

/// Runs the handler of the operation that was matched.
pub(crate) async fn dispatch(call: Call) -> Result<Response, Problem> {
    match call.operation {
        Operation::ListAreas => ops::areas::list::handle(call).await,
        Operation::GetArea => ops::areas::get::handle(call).await,
        Operation::ListBoards => ops::boards::list::handle(call).await,
        Operation::GetBoard => ops::boards::get::handle(call).await,
        Operation::GetBoardDetail => ops::boards::detail::handle(call).await,
        Operation::ListGroups => ops::groups::list::handle(call).await,
        Operation::GetGroup => ops::groups::get::handle(call).await,
        Operation::ListIncidentComments => ops::comments::list::handle(call).await,
        Operation::ListCommentsOfIncident => ops::comments::list_of_incident::handle(call).await,
        Operation::GetIncidentComment => ops::comments::get::handle(call).await,
        Operation::ListDatasourceValues => ops::datasources::values::handle(call).await,
        Operation::CreateIncident => ops::incidents::create::handle(call).await,
        Operation::UpdateIncident => ops::incidents::update::handle(call).await,
        Operation::UpdateIncidentConsequences => ops::incidents::consequences::handle(call).await,
        Operation::UpdateIncidentCauses => ops::incidents::causes::handle(call).await,
        Operation::UpdateIncidentExternalId => ops::incidents::external_id::handle(call).await,
        Operation::GetIncidentType => ops::incidents::type_detail::handle(call).await,
        Operation::ListTrashedIncidents => ops::incidents::trash::handle(call).await,
        Operation::UpdateImprovement => ops::improvements::update::handle(call).await,
    }
}
