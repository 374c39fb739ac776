//! Datasources and their values.

pub(crate) mod batches;
mod body;
pub(crate) mod reads;
pub(crate) mod values;
