//! DELETE /v1/Incidents/{id}: into the trash, with everything that hangs on it.

use super::{answer, open};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::NoBody;
use crate::ops::writing::{self, Decision};
use obeya_store::{Session, incidents, stamp};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, NoBody, |(), deciding| {
        let now = deciding.now;
        let work = move |session: &mut dyn Session| {
            let stored = open(session, id)?;
            let stamp = stamp::next(session, now, stored.last_modified)?;
            incidents::delete(session, id, now, stamp)?;
            Ok(())
        };
        Ok(Decision::nothing(work).against(move |session| answer(session, id)))
    })
    .await
}
