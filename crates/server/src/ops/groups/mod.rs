//! Handlers of groups.

pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod list_v1;
