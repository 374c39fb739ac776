//! DELETE /v1/Improvements/{improvementId}: for good, as there is no trash for improvements.

use super::{answer, missing};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::NoBody;
use crate::ops::writing::{self, Decision};
use obeya_store::{Session, improvements};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, NoBody, |(), _| {
        let work = move |session: &mut dyn Session| {
            if improvements::delete(session, id)? {
                Ok(())
            } else {
                Err(missing(id))
            }
        };
        Ok(Decision::nothing(work).against(move |session| answer(session, id)))
    })
    .await
}
