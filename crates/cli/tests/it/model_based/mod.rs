//! Random requests to the service, and after each what an in-memory plant says of it: writes, deletions,
//! restores, repeats under one `Idempotency-Key`, `If-Match`, kills of the service, and copies by `sync`.
//!
//! The plant ([`model`]) knows the rules of the contract and none of the code. One seed decides on all steps;
//! a failure prints them.

mod model;
mod steps;

use std::path::Path;

use obeya_testkit::postgres::Scratch;

use crate::binary::database;
use steps::Run;

/// How many steps a test takes.
fn steps() -> usize {
    if obeya_testkit::is_long() {
        20_000
    } else {
        1_200
    }
}

fn compare(db: &str, folder: &Path) {
    let mut run = Run::new(db, folder, obeya_testkit::rng());
    for _ in 0..steps() {
        run.step();
    }
    run.look_at_everything();
    run.sync();
    run.report();
}

#[test]
fn the_service_does_what_the_plant_in_memory_does() {
    let (folder, db) = database();
    compare(&db, folder.path());
}

#[test]
fn the_service_does_what_the_plant_in_memory_does_on_postgres() {
    let folder = tempfile::tempdir().expect("a folder");
    let scratch = Scratch::empty();
    compare(scratch.url(), folder.path());
}
