//! The SDK against a server that only plays faults. How it works with the real service is tested with the
//! service.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail like the test itself"
)]

mod auth;
#[cfg(feature = "blocking")]
mod blocking;
mod calls;
mod changing;
mod changing_records;
mod edits;
mod errors;
mod keys;
mod limits;
mod paging;
mod proxies;
mod retry;
mod support;
mod telemetry;
#[cfg(feature = "arrow")]
mod values;
mod words;
