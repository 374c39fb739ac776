//! Handlers of incident comments.

pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod list_of_incident;
pub(crate) mod list_of_incident_v1;
