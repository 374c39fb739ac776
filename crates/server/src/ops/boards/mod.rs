//! Handlers of boards.

pub(crate) mod detail;
pub(crate) mod get;
pub(crate) mod list;
