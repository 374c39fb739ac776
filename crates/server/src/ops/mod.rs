//! One handler for each operation of the spec, in a folder per resource: extract, call, convert; no SQL and
//! no rules.
//!
//! Every handler is `pub(crate) async fn handle(call: Call) -> Result<Response, Problem>` in a file of its
//! own; `router.rs` lists them.

pub(crate) mod areas;
pub(crate) mod boards;
pub(crate) mod call;
pub(crate) mod comments;
pub(crate) mod datasources;
mod decoding;
mod errors;
pub(crate) mod groups;
pub(crate) mod improvements;
pub(crate) mod incidents;
pub(crate) mod meta;
mod never_null;
mod next_link;
pub(crate) mod odata;
mod page_tags;
pub(crate) mod ping;
mod reading;
pub(crate) mod token;
mod view;
pub(crate) mod well_known;
mod writing;
