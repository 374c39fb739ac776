//! Helpers for tests of the service: databases as earlier versions of this program created them.

use std::path::Path;

use crate::engine::{Capabilities, Dialect};
use crate::{postgres, sqlite};

/// The capabilities of an engine, for a fake session of a test.
pub fn capabilities(dialect: Dialect) -> &'static dyn Capabilities {
    match dialect {
        Dialect::Sqlite => &sqlite::capabilities::Sqlite,
        Dialect::Postgres => &postgres::capabilities::Postgres,
    }
}

/// Creates the schema of an older version in a database without tables, and runs these statements.
///
/// # Panics
/// When the database refuses.
pub fn make_old(url: &str, version: usize, rows: &str) {
    if postgres::is_postgres(url) {
        postgres::make_old(url, version, rows);
    } else {
        let file = url.strip_prefix("sqlite:").expect("the address of a file");
        sqlite::make_old(Path::new(file), version, rows);
    }
}
