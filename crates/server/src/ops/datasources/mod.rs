//! Handlers of datasource values.

pub(crate) mod values;
