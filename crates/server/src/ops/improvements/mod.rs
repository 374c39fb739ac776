//! Handlers of improvements.

mod body;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod update;
