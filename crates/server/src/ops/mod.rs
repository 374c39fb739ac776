//! The handlers: one function for each operation of the spec, in a module for each resource. A handler
//! extracts the parameters, calls the read engine, the rules and the store, and converts; it has no SQL and
//! no rules.
//!
//! Every handler is `pub(crate) async fn name(call: Call) -> Result<Response, Problem>`; `router.rs` lists
//! them. To add one, write it in the module of its resource and name it in `router.rs`.

pub(crate) mod areas;
pub(crate) mod boards;
pub(crate) mod call;
pub(crate) mod comments;
pub(crate) mod data_lists;
pub(crate) mod datasources;
mod decoding;
mod errors;
mod gate;
pub(crate) mod groups;
pub(crate) mod improvements;
pub(crate) mod incident_types;
pub(crate) mod incidents;
pub(crate) mod meta;
mod never_null;
mod next_link;
pub(crate) mod odata;
mod page_tags;
pub(crate) mod pages;
pub(crate) mod ping;
pub(crate) mod projects;
mod reading;
pub(crate) mod task_comments;
pub(crate) mod tasks;
pub(crate) mod token;
pub(crate) mod users;
mod view;
pub(crate) mod well_known;
mod writing;
