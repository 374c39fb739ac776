//! The power is cut at any moment of the service, of pull, sync, export, backup and restore: what was
//! answered or reported as done is there, what is there is whole, and the next run goes on.
//!
//! The programs run on a recorded disk ([`obeya_testkit::disk`]), and each cut is computed from the record:
//! what was not flushed may be lost or torn. One seed, which is printed, decides on all cuts.

mod backup;
mod export;
mod pull;
mod service;
mod sync;

/// How many cuts a test tries.
fn cuts(quick: usize) -> usize {
    if obeya_testkit::is_long() {
        quick * 40
    } else {
        quick
    }
}
