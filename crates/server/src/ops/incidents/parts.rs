//! Replacing the categories, causes or consequences of an incident: the parts that its type defines.

use std::collections::BTreeMap;

use obeya_model::bounds::operations::update_incident_categories;
use obeya_model::{CategoryInput, CauseInput, ConsequenceInput};
use serde::Serialize;

use super::{answer, body, find_for_update, path};
use crate::http::body::Response;
use crate::http::problem::Problem;
use crate::ops::call::Call;
use crate::ops::decoding::json;
use crate::ops::writing::{self, Decision, WriteContext, Written};
use obeya_rules::validate::Check;
use obeya_store::audit::{Change, Diff};
use obeya_store::incidents::StoredParts;
use obeya_store::references::{Part, References};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, StoreError, incidents, stamp};

/// How one kind of parts is stored, each part as a `T`.
struct PartKind<T: 'static> {
    part: Part,
    /// The property of an incident that lists the parts.
    property: &'static str,
    stored: &'static StoredParts<T>,
    /// The id of the type's part.
    id_of: fn(&T) -> i32,
    /// Replaces the stored parts.
    set: fn(&mut dyn Session, i32, &[T]) -> Result<(), StoreError>,
}

const CATEGORIES: PartKind<i32> = PartKind {
    part: Part::Category,
    property: "categories",
    stored: &incidents::CATEGORIES,
    id_of: |id| *id,
    set: incidents::set_categories,
};

const CAUSES: PartKind<i32> = PartKind {
    part: Part::Cause,
    property: "causes",
    stored: &incidents::CAUSES,
    id_of: |id| *id,
    set: incidents::set_causes,
};

const CONSEQUENCES: PartKind<(i32, Option<f64>)> = PartKind {
    part: Part::Consequence,
    property: "consequences",
    stored: &incidents::CONSEQUENCES,
    id_of: |(id, _)| *id,
    set: incidents::set_consequences,
};

/// PUT /v1/Incidents/{id}/categories
pub(crate) async fn update_categories(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, json::<Vec<CategoryInput>>(), |categories, context| {
        let mut check = Check::default();
        let allowed = &update_incident_categories::body::ITEMS;
        body::category_count(&mut check, &categories, allowed);
        check.finish(Some(()))?;
        replace(context, id, &CATEGORIES, &categories, |item| item.id)
    })
    .await
}

/// PUT /v1/Incidents/{id}/causes
pub(crate) async fn update_causes(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(call, json::<Vec<CauseInput>>(), |causes, context| {
        replace(context, id, &CAUSES, &causes, |item| item.id)
    })
    .await
}

/// PUT /v1/Incidents/{id}/consequences
pub(crate) async fn update_consequences(call: Call) -> Result<Response, Problem> {
    let id = call.id()?;
    writing::write(
        call,
        json::<Vec<ConsequenceInput>>(),
        |consequences, context| {
            replace(context, id, &CONSEQUENCES, &consequences, |item| {
                (item.id, item.amount)
            })
        },
    )
    .await
}

/// Replaces the parts of an incident by those of a body. The incident gets no new stamp if they are the same
/// in any order.
fn replace<T, I>(
    context: &mut WriteContext,
    id: i32,
    kind: &'static PartKind<T>,
    inputs: &[I],
    part_of: fn(&I) -> T,
) -> Result<Decision, WriteError>
where
    T: Clone + PartialEq + Serialize + Send + 'static,
    I: Serialize,
{
    context.sets(&BTreeMap::from([(kind.property, inputs)]))?;
    let (now, grants) = (context.now, context.grants());
    let parts: Vec<T> = inputs.iter().map(part_of).collect();
    let mut by_id = parts.clone();
    by_id.sort_by_key(kind.id_of);
    let work = move |session: &mut dyn Session| {
        kind.stored.prefetch(session, id)?;
        let stored = find_for_update(session, id)?;
        let mut references = References::new(session, &grants);
        references.parts(
            kind.part,
            stored.incident_type_id,
            parts.iter().map(kind.id_of),
            |index| format!("[{index}].id"),
        )?;
        references.finish()?;
        let before = kind.stored.of(session, id)?;
        if before == by_id {
            return Ok(Written::unchanged(move |session| answer(session, id)));
        }
        let stamp = stamp::next(session, now, stored.last_modified)?;
        (kind.set)(session, id, &parts)?;
        incidents::touch(session, id, stamp)?;
        let diff = Diff::default().property(kind.property, Some(&before), Some(&by_id));
        Ok(Written::changed(
            Change::of(path(id), diff),
            move |session| answer(session, id),
        ))
    };
    Ok(Decision::record(answer, work).against(move |session| answer(session, id)))
}
