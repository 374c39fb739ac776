//! PUT /v1/Datasources/{id}/values/{valueId}: gives a value other content. It is registered anew if that
//! changes it, so that whoever asks for what was registered since meets it.

use obeya_model::DatasourceValueInput;

use super::body;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::view::Record;
use crate::ops::writing::{self, Decision};
use obeya_rules::value::DatasourceValue;
use obeya_store::values::{elements, write};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, stamp};

pub(crate) async fn handle(call: Call) -> Result<Response, Problem> {
    let (datasource, id) = (call.id()?, call.id_at(1)?);
    writing::write(call, json::<DatasourceValueInput>(), |body, deciding| {
        deciding.sets(&body)?;
        let value = body::value(body);
        value.check()?;
        let now = deciding.now;
        let decision = Decision::record(
            move |session, id| present(session, datasource, id),
            move |session| update(session, (datasource, id), &value, now),
        );
        Ok(decision.against(move |session| present(session, datasource, id)))
    })
    .await
}

/// The value as it is shown.
pub(super) fn present(
    session: &mut dyn Session,
    datasource: i32,
    id: i32,
) -> Result<Record, WriteError> {
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
) -> Result<write::Stored, WriteError> {
    write::find(session, datasource, id)?.ok_or(WriteError::Missing("value", id))
}

fn update(
    session: &mut dyn Session,
    (datasource, id): (i32, i32),
    value: &DatasourceValue,
    now: i64,
) -> Result<Record, WriteError> {
    body::prefetch(session, datasource)?;
    write::prefetch_find(session, datasource, id)?;
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
