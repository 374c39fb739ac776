//! Replacing the parts of one kind that an incident has of its type. Which kind, and what a body must be like, is its handler's matter.

use axum::response::Response;

use super::{answer, open};
use crate::http::call::Call;
use crate::http::problem::Problem;
use crate::ops::writing;
use crate::store::references::{Part, References};
use crate::store::{Session, StoreError, incidents, stamp};

/// Gives an incident these parts of a kind instead of those it has; `id_of` says which of its type's each of them is, `set` writes them.
pub(super) async fn replace<T: Send + 'static>(
    call: &Call,
    id: i32,
    part: Part,
    parts: Vec<T>,
    id_of: fn(&T) -> i32,
    set: fn(&mut dyn Session, i32, &[T]) -> Result<(), StoreError>,
) -> Result<Response, Problem> {
    let now = call.now();
    let work = move |session: &mut dyn Session| {
        let stored = open(session, id, now)?;
        let mut references = References::new(session);
        references.parts(
            part,
            stored.incident.incident_type_id,
            parts.iter().map(id_of),
            |index| format!("[{index}].id"),
        )?;
        references.finish()?;
        let stamp = stamp::next(session, now, stored.last_modified)?;
        set(session, id, &parts)?;
        incidents::touch(session, id, stamp)?;
        answer(session, id)
    };
    writing::of(call)?
        .against(move |session| answer(session, id))
        .record(work)
        .await
}
