//! DELETE /v1/Datasources/{id}/values/{valueId}: takes a value away.

use axum::response::Response;

use super::body;
use super::value_update::{find, present};
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::ops::writing;
use crate::store::refusal::Refusal;
use crate::store::values::write;
use crate::store::{Session, stamp};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let (datasource, id) = (call.id()?, call.id_at(1)?);
    let now = call.now();
    writing::of(&call)?
        .against(move |session| present(session, datasource, id))
        .nothing(move |session| delete(session, (datasource, id), now))
        .await
}

fn delete(
    session: &mut dyn Session,
    (datasource, id): (i32, i32),
    now: i64,
) -> Result<(), Refusal> {
    body::announce(session, datasource)?;
    write::announce_find(session, datasource, id)?;
    body::open(session, datasource)?;
    find(session, (datasource, id))?;
    // A change of the datasource, though no value has its stamp.
    let stamp = stamp::next(session, now, 0)?;
    write::delete(session, datasource, &[id], stamp)?;
    Ok(())
}
