//! Writes of one value.

use obeya_model::DatasourceValueInput;

use super::body;
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::{NoBody, json};
use crate::ops::view::WrittenRecord;
use crate::ops::writing::{self, Decision, Written};
use obeya_rules::value::DatasourceValue;
use obeya_store::audit::{Change, ChangeContent};
use obeya_store::values::write;
use obeya_store::write_error::WriteError;
use obeya_store::{Session, stamp};

/// POST /v1/Datasources/{id}/values: adds a value.
pub(crate) async fn create(call: Call) -> Result<Response, Problem> {
    let datasource = call.id()?;
    writing::write(call, json::<DatasourceValueInput>(), |body, context| {
        context.sets(&body)?;
        let value = body::value(body);
        value.check()?;
        let now = context.now;
        // Neither the id nor the stamp is part of it.
        let content = ChangeContent::from(write::diff(None, Some(&value)));
        Ok(Decision::record(
            move |session, id| read_value(session, datasource, id),
            move |session| insert_value(session, datasource, (&value, &content), now),
        ))
    })
    .await
}

fn insert_value(
    session: &mut dyn Session,
    datasource_id: i32,
    (value, content): (&DatasourceValue, &ChangeContent),
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    body::prefetch(session, datasource_id)?;
    let datasource = body::datasource(session, datasource_id)?;
    body::check(session, &datasource, value)?;
    let stamp = stamp::next(session, now, 0)?;
    let id = write::insert(session, &datasource, value, stamp)?;
    let record = body::record((datasource_id, id), value, stamp)?;
    let change = Change::of(path(datasource_id, id), content.clone());
    Ok(Written::changed(change, |_| Ok(record)))
}

/// PUT /v1/Datasources/{id}/values/{valueId}: replaces the content of a value. A changed value gets a new
/// registration stamp, so that a client that reads values by registration time sees it.
pub(crate) async fn update(call: Call) -> Result<Response, Problem> {
    let (datasource, id) = (call.id()?, call.id_at(1)?);
    writing::write(call, json::<DatasourceValueInput>(), |body, context| {
        context.sets(&body)?;
        let value = body::value(body);
        value.check()?;
        let now = context.now;
        let decision = Decision::record(
            move |session, id| read_value(session, datasource, id),
            move |session| update_value(session, (datasource, id), &value, now),
        );
        Ok(decision.against(move |session| read_value(session, datasource, id)))
    })
    .await
}

/// The value as answers show it.
fn read_value(
    session: &mut dyn Session,
    datasource: i32,
    id: i32,
) -> Result<WrittenRecord, WriteError> {
    let stored = find_value(session, (datasource, id))?;
    Ok(body::record(
        (datasource, id),
        &stored.value,
        stored.registered,
    )?)
}

/// The stored value.
fn find_value(
    session: &mut dyn Session,
    (datasource, id): (i32, i32),
) -> Result<write::Stored, WriteError> {
    write::find(session, datasource, id)?.ok_or(WriteError::Missing("value", id.into()))
}

fn update_value(
    session: &mut dyn Session,
    (datasource_id, id): (i32, i32),
    value: &DatasourceValue,
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    body::prefetch(session, datasource_id)?;
    write::prefetch_find(session, datasource_id, id)?;
    let datasource = body::datasource(session, datasource_id)?;
    let before = find_value(session, (datasource_id, id))?;
    body::check(session, &datasource, value)?;
    let record = |stamp| body::record((datasource_id, id), value, stamp);
    if before.value == *value {
        let record = record(before.registered)?;
        return Ok(Written::unchanged(|_| Ok(record)));
    }
    let stamp = stamp::next(session, now, before.registered)?;
    write::update(session, (&datasource, id), &before.value, value, stamp)?;
    let change = changed((datasource_id, id), Some(&before.value), Some(value));
    let record = record(stamp)?;
    Ok(Written::changed(change, |_| Ok(record)))
}

/// The change of a value, for the audit log.
fn changed(
    (datasource, id): (i32, i32),
    before: Option<&DatasourceValue>,
    after: Option<&DatasourceValue>,
) -> Change {
    Change::of(path(datasource, id), write::diff(before, after))
}

/// The path of a value in the audit log.
fn path(datasource: i32, id: i32) -> String {
    format!("{}/{id}", body::path(datasource))
}

/// DELETE /v1/Datasources/{id}/values/{valueId}: deletes a value.
pub(crate) async fn delete(call: Call) -> Result<Response, Problem> {
    let (datasource, id) = (call.id()?, call.id_at(1)?);
    writing::write(call, NoBody, |(), context| {
        let now = context.now;
        let work = move |session: &mut dyn Session| delete_value(session, (datasource, id), now);
        Ok(Decision::empty(work).against(move |session| read_value(session, datasource, id)))
    })
    .await
}

fn delete_value(
    session: &mut dyn Session,
    (datasource, id): (i32, i32),
    now: i64,
) -> Result<Change, WriteError> {
    body::prefetch(session, datasource)?;
    write::prefetch_find(session, datasource, id)?;
    body::datasource(session, datasource)?;
    let stored = find_value(session, (datasource, id))?;
    // The deletion changes the datasource, although no value bears this stamp.
    let stamp = stamp::next(session, now, 0)?;
    write::delete(session, datasource, &[id], stamp)?;
    Ok(changed((datasource, id), Some(&stored.value), None))
}
