//! What tests of the service need beside the store: databases as earlier versions of this program made them.

use std::path::Path;

use crate::{postgres, sqlite};

/// Makes the schema of an older version in a database without tables, and runs these statements on it.
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
