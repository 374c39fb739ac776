//! DELETE /v1/Datasources/{id}/values/batch: takes values away by their ids.

use super::body;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::items;
use crate::ops::writing::{self, Decision};
use obeya_rules::value::{BATCH_COMPLAINTS, check_size};
use obeya_store::values::write;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, stamp};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let datasource = call.id()?;
    writing::write(call, items::<i32>(BATCH_COMPLAINTS), |mut ids, deciding| {
        check_size(ids.len(), "ids")?;
        // An id that is named twice is one value.
        ids.sort_unstable();
        ids.dedup();
        let now = deciding.now;
        Ok(Decision::figures(move |session| {
            delete(session, datasource, &ids, now)
        }))
    })
    .await
}

/// How many there were.
fn delete(
    session: &mut dyn Session,
    datasource: i32,
    ids: &[i32],
    now: i64,
) -> Result<u64, WriteError> {
    body::prefetch(session, datasource)?;
    body::open(session, datasource)?;
    // A change of the datasource, though no value has its stamp.
    let stamp = stamp::next(session, now, 0)?;
    Ok(write::delete(session, datasource, ids, stamp)?)
}
