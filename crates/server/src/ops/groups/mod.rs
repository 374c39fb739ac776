//! Handlers of groups.

pub(crate) mod get;
pub(crate) mod list;
