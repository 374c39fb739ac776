//! Tests of connections with a real server: driver, protocol and server.

mod audit_entries;
mod catalogue;
mod faults;
mod jobs;
mod migrate;
mod pipelines;
mod prefetched;
mod scratch;
mod session;
mod tls;
mod transactions;
