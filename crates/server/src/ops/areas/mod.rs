//! Handlers of areas.

pub(crate) mod get;
pub(crate) mod list;
