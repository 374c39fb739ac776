//! Handlers of incident comments.

pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod list_of_incident;
