//! POST /v1/Datasources/{id}/values/batch: adds values, all or none.

use obeya_model::DatasourceValueTotal;

use super::body;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::items;
use crate::ops::writing::{self, Decision};
use obeya_rules::value::{BATCH_COMPLAINTS, DatasourceValue, check_batch};
use obeya_store::values::write;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, stamp};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let datasource = call.id()?;
    writing::write(call, items(BATCH_COMPLAINTS), |items, deciding| {
        let values = body::values(items);
        check_batch(&values, None)?;
        let now = deciding.now;
        Ok(Decision::figures(move |session| {
            create(session, datasource, &values, now)
        }))
    })
    .await
}

fn create(
    session: &mut dyn Session,
    datasource: i32,
    values: &[DatasourceValue],
    now: i64,
) -> Result<DatasourceValueTotal, WriteError> {
    if values.is_empty() {
        body::open(session, datasource)?;
        return Ok(body::total(values));
    }
    body::prefetch(session, datasource)?;
    write::prefetch(session, values.len())?;
    body::check(session, datasource, values)?;
    let stamp = stamp::next(session, now, 0)?;
    write::append(session, datasource, values, stamp)?;
    Ok(body::total(values))
}
