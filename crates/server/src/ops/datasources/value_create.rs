//! POST /v1/Datasources/{id}/values: adds a value.

use obeya_model::DatasourceValueInput;

use super::body;
use super::value_update::present;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::view::Record;
use crate::ops::writing::{self, Decision};
use obeya_rules::value::DatasourceValue;
use obeya_store::values::{elements, write};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, stamp};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let datasource = call.id()?;
    writing::write(call, json::<DatasourceValueInput>(), |body, deciding| {
        deciding.sets(&body)?;
        let value = body::value(body);
        value.check()?;
        let now = deciding.now;
        Ok(Decision::record(
            move |session, id| present(session, datasource, id),
            move |session| create(session, datasource, &value, now),
        ))
    })
    .await
}

fn create(
    session: &mut dyn Session,
    datasource: i32,
    value: &DatasourceValue,
    now: i64,
) -> Result<Record, WriteError> {
    body::prefetch(session, datasource)?;
    write::prefetch(session, 1)?;
    let elements = body::open(session, datasource)?;
    let known = elements::known(session, &elements, std::slice::from_ref(value))?;
    elements.check(value, &known)?;
    let stamp = stamp::next(session, now, 0)?;
    let id = write::insert(session, datasource, value, stamp)?;
    Ok(body::record((datasource, id), value, stamp)?)
}
