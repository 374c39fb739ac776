//! The HTTP layer: the error type, typed extraction, negotiation, ids. It knows no resource and no SQL.

pub(crate) mod accept;
pub(crate) mod address_share;
pub(crate) mod answer_buffer;
pub(crate) mod body;
pub(crate) mod body_sender;
pub(crate) mod client_address;
pub(crate) mod connections;
pub(crate) mod cors;
pub(crate) mod encoding;
pub(crate) mod etag;
pub(crate) mod extract;
pub(crate) mod idempotency;
pub(crate) mod json;
pub(crate) mod lingering_close;
pub(crate) mod memory_budget;
mod objects;
pub(crate) mod odata;
pub(crate) mod path;
pub(crate) mod problem;
mod properties;
pub(crate) mod rate_limits;
pub(crate) mod request_body;
pub(crate) mod request_id;
pub(crate) mod security_headers;
pub(crate) mod shared_look_up;
pub(crate) mod wait_allowance;
pub(crate) mod write_timeout;
