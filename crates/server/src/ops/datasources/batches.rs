//! Batches of values: added, replaced or deleted, all or none.

use obeya_model::DatasourceValueTotal;

use super::body;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::items;
use crate::ops::writing::{self, Decision};
use obeya_read::Period;
use obeya_rules::value::{BATCH_COMPLAINTS, DatasourceValue, check_batch, check_size};
use obeya_store::values::write;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, stamp};

/// POST /v1/Datasources/{id}/values/batch: adds values.
pub(crate) async fn create(call: Call) -> Result<Response, Problem> {
    let datasource = call.id()?;
    writing::write(call, items(BATCH_COMPLAINTS), |items, context| {
        let values = body::values(items);
        check_batch(&values, None)?;
        let now = context.now;
        Ok(Decision::summary(move |session| {
            add_values(session, datasource, &values, now)
        }))
    })
    .await
}

fn add_values(
    session: &mut dyn Session,
    datasource: i32,
    values: &[DatasourceValue],
    now: i64,
) -> Result<DatasourceValueTotal, WriteError> {
    if values.is_empty() {
        body::elements(session, datasource)?;
        return Ok(body::total(values));
    }
    body::prefetch(session, datasource)?;
    write::prefetch(session, values.len())?;
    body::check(session, datasource, values)?;
    let stamp = stamp::next(session, now, 0)?;
    write::append(session, datasource, values, stamp)?;
    Ok(body::total(values))
}

/// PUT /v1/Datasources/{id}/values/batchReplace: replaces the values of a period. It is one
/// transaction, so a reader sees either the old values or the new ones.
pub(crate) async fn replace(call: Call) -> Result<Response, Problem> {
    let datasource = call.id()?;
    let Period { from, to } = Period::of(call.query())?;
    writing::write(call, items(BATCH_COMPLAINTS), |items, context| {
        let values = body::values(items);
        check_batch(&values, Some((from, to)))?;
        let now = context.now;
        Ok(Decision::summary(move |session| {
            replace_values(session, datasource, (from, to), &values, now)
        }))
    })
    .await
}

fn replace_values(
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

/// DELETE /v1/Datasources/{id}/values/batch: deletes values by their ids.
pub(crate) async fn delete(call: Call) -> Result<Response, Problem> {
    let datasource = call.id()?;
    writing::write(call, items::<i32>(BATCH_COMPLAINTS), |mut ids, context| {
        check_size(ids.len(), "ids")?;
        // The same id given twice is one value.
        ids.sort_unstable();
        ids.dedup();
        let now = context.now;
        Ok(Decision::summary(move |session| {
            delete_values(session, datasource, &ids, now)
        }))
    })
    .await
}

/// Returns how many of them existed.
fn delete_values(
    session: &mut dyn Session,
    datasource: i32,
    ids: &[i32],
    now: i64,
) -> Result<u64, WriteError> {
    body::prefetch(session, datasource)?;
    body::elements(session, datasource)?;
    // The deletion changes the datasource, although no value bears this stamp.
    let stamp = stamp::next(session, now, 0)?;
    Ok(write::delete(session, datasource, ids, stamp)?)
}
