//! The binary as a user runs it: arguments in; lines, files and exit codes out.

mod backup;
mod binary;
mod check;
mod client;
mod credentials;
mod demo;
mod drill;
mod export;
mod folders_killed;
mod import;
mod killed;
mod migrate;
mod on_postgres;
mod postgres;
mod pull;
mod replicas;
mod restore;
mod restored;
mod serve;
mod sync;
mod upgrades;
mod usage;
