//! Batches of values: added, replaced or deleted, all or none.

use obeya_model::DatasourceValueTotal;
use serde::Serialize;

use super::body;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::{Batch, items};
use crate::ops::writing::{self, Decision, Written};
use obeya_model::Timestamp;
use obeya_read::Period;
use obeya_rules::value::{BATCH_COMPLAINTS, DatasourceValue, check_batch, check_size};
use obeya_store::audit::Change;
use obeya_store::values::write;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, stamp};

/// A batch in the audit log: its values are many, and a digest stands for them.
#[derive(Default, Serialize)]
struct BatchSummary<'a> {
    /// Values added, or deleted by their ids.
    count: usize,
    /// Values deleted in the period of a replacement.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<u64>,
    /// The period of a replacement.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Timestamp>,
    /// SHA-256 of the body, in hexadecimal.
    sha256: &'a str,
}

impl BatchSummary<'_> {
    fn change(&self, datasource: i32) -> Change {
        Change::many(body::path(datasource), self)
    }
}

/// POST /v1/Datasources/{id}/values/batch: adds values.
pub(crate) async fn create(call: Call) -> Result<Response, Problem> {
    let datasource = call.id()?;
    writing::write(call, items(BATCH_COMPLAINTS), |batch, context| {
        let Batch { list, sha256 } = batch;
        check_size(list.count, "values")?;
        let values = body::values(list.items);
        check_batch(&values, None)?;
        let now = context.now;
        Ok(Decision::summary(move |session| {
            add_values(session, datasource, &values, &sha256, now)
        }))
    })
    .await
}

fn add_values(
    session: &mut dyn Session,
    datasource_id: i32,
    values: &[DatasourceValue],
    sha256: &str,
    now: i64,
) -> Result<Written<DatasourceValueTotal>, WriteError> {
    if values.is_empty() {
        body::datasource(session, datasource_id)?;
        return Ok(Written::unchanged(|_| Ok(body::total(&[]))));
    }
    body::prefetch(session, datasource_id)?;
    let datasource = body::datasource(session, datasource_id)?;
    body::check_batch(session, &datasource, values)?;
    let stamp = stamp::next(session, now, 0)?;
    write::append(session, &datasource, values, stamp)?;
    let summary = BatchSummary {
        count: values.len(),
        sha256,
        ..BatchSummary::default()
    };
    let total = body::total(values);
    Ok(Written::changed(summary.change(datasource_id), move |_| {
        Ok(total)
    }))
}

/// PUT /v1/Datasources/{id}/values/batchReplace: replaces the values of a period. It is one
/// transaction, so a reader sees either the old values or the new ones.
pub(crate) async fn replace(call: Call) -> Result<Response, Problem> {
    let datasource = call.id()?;
    let Period { from, to } = Period::of(call.query())?;
    writing::write(call, items(BATCH_COMPLAINTS), |batch, context| {
        let Batch { list, sha256 } = batch;
        check_size(list.count, "values")?;
        let values = body::values(list.items);
        check_batch(&values, Some((from, to)))?;
        let now = context.now;
        Ok(Decision::summary(move |session| {
            replace_values(session, datasource, (from, to), &values, &sha256, now)
        }))
    })
    .await
}

fn replace_values(
    session: &mut dyn Session,
    datasource_id: i32,
    period: (i64, i64),
    values: &[DatasourceValue],
    sha256: &str,
    now: i64,
) -> Result<Written<DatasourceValueTotal>, WriteError> {
    body::prefetch(session, datasource_id)?;
    let datasource = body::datasource(session, datasource_id)?;
    body::check_batch(session, &datasource, values)?;
    let stamp = stamp::next(session, now, 0)?;
    let deleted = write::delete_period(session, datasource_id, period, stamp)?;
    write::append(session, &datasource, values, stamp)?;
    let total = body::total(values);
    if deleted == 0 && values.is_empty() {
        return Ok(Written::unchanged(move |_| Ok(total)));
    }
    let summary = BatchSummary {
        count: values.len(),
        deleted: Some(deleted),
        from: Timestamp::from_ticks(period.0),
        to: Timestamp::from_ticks(period.1),
        sha256,
    };
    Ok(Written::changed(summary.change(datasource_id), move |_| {
        Ok(total)
    }))
}

/// DELETE /v1/Datasources/{id}/values/batch: deletes values by their ids.
pub(crate) async fn delete(call: Call) -> Result<Response, Problem> {
    let datasource = call.id()?;
    writing::write(call, items::<i32>(BATCH_COMPLAINTS), |batch, context| {
        let Batch { list, sha256 } = batch;
        check_size(list.count, "ids")?;
        let mut items = list.items;
        // The same id given twice is one value.
        items.sort_unstable();
        items.dedup();
        let now = context.now;
        Ok(Decision::summary(move |session| {
            delete_values(session, datasource, &items, &sha256, now)
        }))
    })
    .await
}

/// Returns how many of them existed.
fn delete_values(
    session: &mut dyn Session,
    datasource: i32,
    ids: &[i32],
    sha256: &str,
    now: i64,
) -> Result<Written<u64>, WriteError> {
    body::prefetch(session, datasource)?;
    body::datasource(session, datasource)?;
    // The deletion changes the datasource, although no value bears this stamp.
    let stamp = stamp::next(session, now, 0)?;
    let deleted = write::delete(session, datasource, ids, stamp)?;
    if deleted == 0 {
        return Ok(Written::unchanged(move |_| Ok(deleted)));
    }
    let summary = BatchSummary {
        // A batch is far smaller.
        count: usize::try_from(deleted).unwrap_or(usize::MAX),
        sha256,
        ..BatchSummary::default()
    };
    Ok(Written::changed(summary.change(datasource), move |_| {
        Ok(deleted)
    }))
}
