//! Handlers of improvements.

mod body;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod update;

use obeya_model::Improvement;

use crate::store::refusal::Refusal;
use crate::store::{Session, improvements};

/// The improvement as it is now.
fn answer(session: &mut dyn Session, id: i32) -> Result<Improvement, Refusal> {
    improvements::record(session, id)?.ok_or(missing(id))
}

fn missing(id: i32) -> Refusal {
    Refusal::Missing("improvement", id)
}
