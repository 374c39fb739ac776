//! Reading datasources and their values.

use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::reading;
use obeya_read::{RecordForm, Records, ValuePage};
use obeya_store::{datasources, entities};

static FORM: RecordForm = RecordForm::of(&entities::DATASOURCE);

/// GET /v1/Datasources
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| Records::filtered(request, &FORM)).await
}

/// GET /v1/Datasources/{id}
pub(crate) async fn get(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    let datasource = call
        .look_up(move |session| datasources::detail(session, id))
        .await?;
    let datasource = datasource.ok_or_else(|| Problem::not_found("datasource", id))?;
    call.reply_json_record(&datasource)
}

/// GET /v1/Datasources/{id}/values: a page of a datasource's values.
pub(crate) async fn list_values(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    reading::read(call, |request| ValuePage::prepare(request, id)).await
}
