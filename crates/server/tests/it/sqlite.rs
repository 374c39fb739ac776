//! The service over HTTP, and the store below it, on SQLite: a module for each part.

use obeya_server::store::Dialect;
use suite::*;

/// The engine that this binary is about.
const ENGINE: Dialect = Dialect::Sqlite;

// By its path, so that its modules are next to it and not in a folder `suite`.
#[path = "suite.rs"]
mod suite;
mod support;

// Files, and what only this engine does.
mod sqlite_file;
mod sqlite_restored;
mod sqlite_store;
