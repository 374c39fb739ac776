//! Data lists.

use obeya_model::bounds::schemas::data_list_item_create::{identifier, name};
use obeya_model::{DataListItemCreate, Timestamp};
use obeya_odata::sql::{Predicate, Value};

use super::view::WrittenRecord;
use super::writing::{self, Decision, Written};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::reading;
use obeya_read::{Parent, RecordForm, RecordPlan, Records};
use obeya_rules::error::DomainError;
use obeya_rules::validate::Check;
use obeya_store::audit::{Change, Diff};
use obeya_store::data_lists::{self, Item};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, entities, stamp};

static FORM: RecordForm = RecordForm::of(&entities::DATA_LIST);
static RECORD: RecordPlan = RecordPlan::new(RecordForm::of(&entities::DATA_LIST));
static ITEM: RecordForm = RecordForm::of(&entities::DATA_LIST_ITEM);

/// GET /v1/Datalists
pub(crate) async fn list(call: Call) -> Result<Response, Problem> {
    reading::read(call, |request| Records::filtered(request, &FORM)).await
}

/// GET /v1/Datalists/{id}/items: the items in their order.
pub(crate) async fn items(call: Call) -> Result<Response, Problem> {
    let id = i64::from(call.id()?);
    reading::read(call, |request| {
        Ok(Records::in_order(request, &ITEM, "$orderby=sortOrder")?
            .only(Predicate::new("{t}.data_list_id = ?", [Value::Int(id)]))
            .under(Parent {
                noun: "data list",
                exists: "SELECT 1 FROM data_lists WHERE id = ?1".into(),
                id: id.into(),
                source: None,
            }))
    })
    .await
}

/// POST /v1/Datalists/{id}/items: adds an item after the others. The answer is the list.
pub(crate) async fn create_item(call: Call) -> Result<Response, Problem> {
    let list = call.id()?;
    writing::write(call, json::<DataListItemCreate>(), |body, context| {
        check(&body)?;
        let now = context.now;
        Ok(Decision::record(answer, move |session| {
            add(session, list, &body, now)
        }))
    })
    .await
}

fn check(body: &DataListItemCreate) -> Result<(), DomainError> {
    let mut check = Check::default();
    check.length("identifier", &body.identifier, &identifier::LENGTH);
    if let Some(text) = &body.name {
        check.length("name", text, &name::LENGTH);
    }
    check.finish(Some(()))
}

fn add(
    session: &mut dyn Session,
    list: i32,
    body: &DataListItemCreate,
    now: i64,
) -> Result<Written<WrittenRecord>, WriteError> {
    let found = data_lists::find(session, list)?.ok_or(missing(list))?;
    if data_lists::has_item(session, list, &body.identifier)? {
        return Err(DomainError::Conflict {
            code: "data_list.identifier_exists",
            detail: format!("Data list {list} has an item of this identifier already."),
        }
        .into());
    }
    let item = Item {
        sort_order: data_lists::next_position(session, list)?,
        identifier: body.identifier.clone(),
        name: body.name.clone(),
    };
    let last_modified = found.last_modified.map_or(0, Timestamp::ticks);
    let stamp = stamp::next(session, now, last_modified)?;
    let id = data_lists::add_item(session, list, &item, stamp)?;
    let diff = Diff::default()
        .property("sortOrder", None, Some(&item.sort_order))
        .property("identifier", None, Some(&item.identifier))
        .property("name", None, item.name.as_ref());
    let change = Change::of(format!("datalists/{list}/items/{id}"), diff);
    Ok(Written::changed(change, move |session| {
        answer(session, list)
    }))
}

/// The list, as a record.
fn answer(session: &mut dyn Session, id: i32) -> Result<WrittenRecord, WriteError> {
    let json = RECORD.read(session, id)?.ok_or(missing(id))?;
    Ok(WrittenRecord::new(RECORD.entity(), id, json))
}

fn missing(id: i32) -> WriteError {
    WriteError::Missing("data list", id.into())
}
