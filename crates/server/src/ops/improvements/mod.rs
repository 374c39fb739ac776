//! Handlers of improvements.

mod body;
pub(crate) mod update;
