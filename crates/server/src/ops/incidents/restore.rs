//! PUT /v1/Incidents/trash/{id}/restore: out of the trash again, as it was.

use super::answer;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::NoBody;
use crate::ops::writing::{self, Decision};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, incidents, stamp};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, NoBody, |(), deciding| {
        let now = deciding.now;
        let work = move |session: &mut dyn Session| {
            incidents::prefetch_deleted(session, id, now)?;
            stamp::prefetch(session)?;
            let found = incidents::find_deleted(session, id, now)?;
            let last_modified = found.ok_or(WriteError::Missing("deleted incident", id))?;
            let stamp = stamp::next(session, now, last_modified)?;
            incidents::restore(session, id, stamp)?;
            answer(session, id)
        };
        // No `against`: in the trash an incident has no tag, as nothing answers with it.
        Ok(Decision::record(answer, work))
    })
    .await
}
