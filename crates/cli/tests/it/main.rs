//! The binary as a user runs it: arguments in; lines, files and exit codes out.

mod binary;
mod client;
mod demo;
mod export;
mod folders_killed;
mod import;
mod killed;
mod migrate;
mod on_postgres;
#[allow(
    dead_code,
    reason = "the service's own tests, which it is shared with, use more of it"
)]
#[path = "../../../server/tests/it/support/postgres.rs"]
mod postgres;
mod pull;
mod relay;
mod replicas;
mod restored;
mod serve;
mod serving;
mod sync;
mod usage;
