//! PUT /v1/Datasources/{id}/values/{valueId}: gives a value other content. It is registered anew if that
//! changes it, so that whoever asks for what was registered since meets it.

use axum::response::Response;
use obeya_model::DatasourceValueInput;

use super::body;
use crate::domain::value::DatasourceValue;
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::ops::view::Record;
use crate::ops::writing;
use crate::store::refusal::Refusal;
use crate::store::values::{elements, write};
use crate::store::{Session, stamp};

pub(crate) async fn handle(mut call: Call) -> Result<Response, Problem> {
    let (datasource, id) = (call.id()?, call.id_at(1)?);
    let body = call.json::<DatasourceValueInput>().await?;
    let writing = writing::of(&call)?.setting(&body)?;
    let value = body::value(body);
    value.check()?;
    let now = call.now();
    writing
        .against(move |session| present(session, datasource, id))
        .record(
            move |session, id| present(session, datasource, id),
            move |session| update(session, (datasource, id), &value, now),
        )
        .await
}

/// The value as it is shown.
pub(super) fn present(
    session: &mut dyn Session,
    datasource: i32,
    id: i32,
) -> Result<Record, Refusal> {
    let stored = find(session, (datasource, id))?;
    Ok(body::record(
        (datasource, id),
        &stored.value,
        stored.registered,
    )?)
}

/// The value as it is stored.
pub(super) fn find(
    session: &mut dyn Session,
    (datasource, id): (i32, i32),
) -> Result<write::Stored, Refusal> {
    write::find(session, datasource, id)?.ok_or(Refusal::Missing("value", id))
}

fn update(
    session: &mut dyn Session,
    (datasource, id): (i32, i32),
    value: &DatasourceValue,
    now: i64,
) -> Result<Record, Refusal> {
    body::announce(session, datasource)?;
    write::announce_find(session, datasource, id)?;
    let elements = body::open(session, datasource)?;
    let before = find(session, (datasource, id))?;
    let known = elements::known(session, &elements, std::slice::from_ref(value))?;
    elements.check(value, &known)?;
    let mut stamp = before.registered;
    if before.value != *value {
        stamp = stamp::next(session, now, stamp)?;
        write::update(session, (datasource, id), value, stamp)?;
    }
    Ok(body::record((datasource, id), value, stamp)?)
}
