//! POST /v1/Datasources/{id}/values: adds a value.

use axum::response::Response;
use obeya_model::DatasourceValueInput;

use super::body;
use super::value_update::present;
use crate::domain::value::DatasourceValue;
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::ops::view::Record;
use crate::ops::writing;
use crate::store::refusal::Refusal;
use crate::store::values::{elements, write};
use crate::store::{Session, stamp};

pub(crate) async fn handle(mut call: Call) -> Result<Response, Problem> {
    let datasource = call.id()?;
    let body = call.json::<DatasourceValueInput>().await?;
    let writing = writing::of(&call)?.setting(&body)?;
    let value = body::value(body);
    value.check()?;
    let now = call.now();
    writing
        .record(
            move |session, id| present(session, datasource, id),
            move |session| create(session, datasource, &value, now),
        )
        .await
}

fn create(
    session: &mut dyn Session,
    datasource: i32,
    value: &DatasourceValue,
    now: i64,
) -> Result<Record, Refusal> {
    body::announce(session, datasource)?;
    write::announce(session, 1)?;
    let elements = body::open(session, datasource)?;
    let known = elements::known(session, &elements, std::slice::from_ref(value))?;
    elements.check(value, &known)?;
    let stamp = stamp::next(session, now, 0)?;
    let id = write::insert(session, datasource, value, stamp)?;
    Ok(body::record((datasource, id), value, stamp)?)
}
