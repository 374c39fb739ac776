//! The operations: the arguments of each and its call of the SDK. Their public names and docstrings are in
//! `obeya/_async` (from which `obeya/_sync` is derived).
//!
//! Operations that need only their arguments share one function (`generated`, written by `cargo xtask
//! regen`), and so do updates of records (`edits`). The others have a class and a file for each resource.

mod attachments;
mod boards;
mod datasources;
mod edits;
#[rustfmt::skip]
mod generated;
mod improvements;
mod incidents;
mod plain;
mod tasks;
mod users;

pub(crate) use attachments::AttachmentCalls;
pub(crate) use boards::BoardCalls;
pub(crate) use datasources::DatasourceCalls;
pub(crate) use edits::edit;
pub(crate) use improvements::ImprovementCalls;
pub(crate) use incidents::IncidentCalls;
pub(crate) use plain::{call, query};
pub(crate) use tasks::TaskCalls;
pub(crate) use users::UserCalls;
