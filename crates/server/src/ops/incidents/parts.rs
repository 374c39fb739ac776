//! Replacing the parts of one kind that an incident has of its type. Which kind, and what a body must be
//! like, is its handler's matter.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{answer, open};
use crate::ops::writing::{Deciding, Decision};
use obeya_store::incidents::StoredParts;
use obeya_store::references::{Part, References};
use obeya_store::write_error::WriteError;
use obeya_store::{Session, StoreError, incidents, stamp};

/// A kind of parts: how one is stored, as `T`.
pub(super) struct Kind<T: 'static> {
    pub(super) part: Part,
    /// The property of an incident that lists them.
    pub(super) property: &'static str,
    pub(super) stored: &'static StoredParts<T>,
    /// Which of the type's it is.
    pub(super) id_of: fn(&T) -> i32,
    /// Writes them in the place of those that are there.
    pub(super) set: fn(&mut dyn Session, i32, &[T]) -> Result<(), StoreError>,
}

/// Gives an incident the parts of a body instead of those it has. It is not stamped if they are the same, in
/// whatever order.
pub(super) fn replace<T, I>(
    deciding: &mut Deciding,
    id: i32,
    kind: &'static Kind<T>,
    inputs: &[I],
    part_of: fn(&I) -> T,
) -> Result<Decision, WriteError>
where
    T: Clone + PartialEq + Send + 'static,
    I: Serialize,
{
    deciding.sets(&BTreeMap::from([(kind.property, inputs)]))?;
    let now = deciding.now;
    let parts: Vec<T> = inputs.iter().map(part_of).collect();
    let mut by_id = parts.clone();
    by_id.sort_by_key(kind.id_of);
    let work = move |session: &mut dyn Session| {
        kind.stored.prefetch(session, id)?;
        let stored = open(session, id)?;
        let mut references = References::new(session);
        references.parts(
            kind.part,
            stored.incident_type_id,
            parts.iter().map(kind.id_of),
            |index| format!("[{index}].id"),
        )?;
        references.finish()?;
        if kind.stored.of(session, id)? == by_id {
            return answer(session, id);
        }
        let stamp = stamp::next(session, now, stored.last_modified)?;
        (kind.set)(session, id, &parts)?;
        incidents::touch(session, id, stamp)?;
        answer(session, id)
    };
    Ok(Decision::record(answer, work).against(move |session| answer(session, id)))
}
