//! The store: where statements run.

pub mod engine;
pub(crate) mod clients;
pub(crate) mod keys;
