//! The operations: what each is called with and what it asks the SDK. Their names for users, and what is said
//! of them, are in `obeya/_async` (from which `obeya/_sync` is made).
//!
//! What needs no more than its arguments is one function for all (`generated`, written by `cargo xtask
//! regen`). The others have a class and a file for each resource.

mod datasources;
#[rustfmt::skip]
mod generated;
mod improvements;
mod incidents;
mod plain;

pub(crate) use datasources::DatasourceCalls;
pub(crate) use improvements::ImprovementCalls;
pub(crate) use incidents::IncidentCalls;
pub(crate) use plain::{call, query};
