//! The service over HTTP, and the store below it, on PostgreSQL: a module for each part.

use obeya_server::store::Dialect;
use suite::*;

/// The engine that this binary is about.
const ENGINE: Dialect = Dialect::Postgres;

// By its path, so that its modules are next to it and not in a folder `suite`.
#[path = "suite.rs"]
mod suite;
mod support;

// A server that fails, and what only this engine does.
mod partitions;
mod postgres_failover;
mod postgres_faults;
mod postgres_roles;
mod postgres_store;
mod postgres_upgrade;
mod postgres_waits;
mod postgres_writes;
mod same_bytes;
