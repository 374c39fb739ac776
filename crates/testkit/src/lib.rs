//! Helpers shared by the tests of several crates. This crate depends on no other crate of the workspace, so
//! that each may use it, in unit tests too.
//!
//! The fixture of a crate builds on it: the service in the test's process in
//! `crates/server/tests/it/support`, the binary in `crates/cli/tests/it`.

mod buckets;
#[cfg(target_os = "linux")]
pub mod disk;
pub mod postgres;
mod proxy;
mod seed;
mod serving;
mod words;

pub use buckets::Buckets;
pub use fastrand::Rng;
pub use proxy::{Answer, Fault, Proxy};
pub use seed::{is_long, rng, seed, seeds};
pub use serving::Serving;
pub use words::UnknownWord;
