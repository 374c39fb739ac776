//! The binary as a user runs it: arguments in; lines, files and exit codes out.

mod binary;
mod client;
mod credentials;
mod demo;
mod export;
mod folders_killed;
mod import;
mod keys;
mod killed;
mod migrate;
mod on_postgres;
mod postgres;
mod pull;
mod replicas;
mod restored;
mod serve;
mod sync;
mod usage;
