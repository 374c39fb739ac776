//! Handlers of improvements.

pub(crate) mod update;
