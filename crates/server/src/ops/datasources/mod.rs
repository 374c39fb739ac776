//! Handlers of datasource values.

pub(crate) mod batch_create;
pub(crate) mod batch_delete;
pub(crate) mod batch_replace;
mod body;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod value_create;
pub(crate) mod value_delete;
pub(crate) mod value_update;
pub(crate) mod values;
