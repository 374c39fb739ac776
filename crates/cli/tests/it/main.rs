//! The binary as a user runs it: arguments in; lines, files and exit codes out.

mod binary;
mod client;
mod demo;
mod import;
mod serve;
mod usage;
