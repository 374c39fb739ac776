//! DELETE /v1/Datasources/{id}/values/{valueId}: takes a value away.

use super::body;
use super::value_update::{find, present};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::NoBody;
use crate::ops::writing::{self, Decision};
use obeya_store::values::write;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, stamp};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let (datasource, id) = (call.id()?, call.id_at(1)?);
    writing::write(call, NoBody, |(), deciding| {
        let now = deciding.now;
        let work = move |session: &mut dyn Session| delete(session, (datasource, id), now);
        Ok(Decision::nothing(work).against(move |session| present(session, datasource, id)))
    })
    .await
}

fn delete(
    session: &mut dyn Session,
    (datasource, id): (i32, i32),
    now: i64,
) -> Result<(), WriteError> {
    body::prefetch(session, datasource)?;
    write::prefetch_find(session, datasource, id)?;
    body::open(session, datasource)?;
    find(session, (datasource, id))?;
    // A change of the datasource, though no value has its stamp.
    let stamp = stamp::next(session, now, 0)?;
    write::delete(session, datasource, &[id], stamp)?;
    Ok(())
}
