//! The binary as a user runs it: arguments in; lines, files and exit codes out.

mod audit;
mod backup;
mod binary;
mod check;
mod client;
mod completions;
mod credentials;
mod demo;
mod drill;
mod environment;
mod erase_user;
mod export;
#[cfg(target_os = "linux")]
mod failing_disk;
mod folders_killed;
mod import;
mod import_table;
mod init;
mod keys;
mod killed;
mod limits;
mod manual;
mod migrate;
mod model_based;
mod on_postgres;
mod postgres;
#[cfg(target_os = "linux")]
mod power_loss;
mod pull;
mod replicas;
mod restore;
mod restored;
mod serve;
mod settings;
#[cfg(unix)]
mod sockets;
mod status;
mod sync;
mod upgrades;
mod usage;
