//! PUT /v1/Datasources/{id}/values/batchReplace: puts values in the place of those of a period. A reader sees
//! the old ones or the new ones, as it is one transaction.

use obeya_model::DatasourceValueTotal;

use super::body;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::items;
use crate::ops::writing::{self, Decision};
use obeya_read::Period;
use obeya_rules::value::{BATCH_COMPLAINTS, DatasourceValue, check_batch};
use obeya_store::values::write;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, stamp};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let datasource = call.id()?;
    let Period { from, to } = Period::of(call.query())?;
    writing::write(call, items(BATCH_COMPLAINTS), |items, deciding| {
        let values = body::values(items);
        check_batch(&values, Some((from, to)))?;
        let now = deciding.now;
        Ok(Decision::figures(move |session| {
            replace(session, datasource, (from, to), &values, now)
        }))
    })
    .await
}

fn replace(
    session: &mut dyn Session,
    datasource: i32,
    period: (i64, i64),
    values: &[DatasourceValue],
    now: i64,
) -> Result<DatasourceValueTotal, WriteError> {
    body::prefetch(session, datasource)?;
    write::prefetch(session, values.len())?;
    body::check(session, datasource, values)?;
    let stamp = stamp::next(session, now, 0)?;
    write::delete_period(session, datasource, period, stamp)?;
    write::append(session, datasource, values, stamp)?;
    Ok(body::total(values))
}
