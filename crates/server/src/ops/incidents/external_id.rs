//! PUT /v1/Incidents/{id}/externalId: the body is a bare JSON string, or null.

use std::collections::BTreeMap;

use super::{answer, open};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::writing::{self, Decision};
use obeya_rules::validate::{Check, EXTERNAL_ID_MAX};
use obeya_store::{Session, incidents, stamp};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, json::<Option<String>>(), |external_id, deciding| {
        deciding.sets(&BTreeMap::from([("externalId", &external_id)]))?;
        let mut check = Check::default();
        check.at_most(
            "externalId",
            external_id.as_deref().unwrap_or_default(),
            EXTERNAL_ID_MAX,
        );
        check.finish(Some(()))?;
        let now = deciding.now;
        let work = move |session: &mut dyn Session| {
            let stored = open(session, id)?;
            if stored.external_id == external_id {
                return answer(session, id);
            }
            let stamp = stamp::next(session, now, stored.last_modified)?;
            incidents::set_external_id(session, id, external_id.as_deref(), stamp)?;
            answer(session, id)
        };
        Ok(Decision::record(answer, work).against(move |session| answer(session, id)))
    })
    .await
}
