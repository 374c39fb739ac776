//! What a migration did.

use std::time::Duration;

use super::digest::{Digest, Sum};
use super::error::Difference;
use obeya_store::table::Table;

/// What a migration copied, or what two databases were found to hold.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MigrateReport {
    /// Each table, in the order they were copied.
    pub tables: Vec<TableReport>,
    /// Where the databases differ, the first place of each table; none after a migration.
    pub differences: Vec<Difference>,
    /// The latest stamp (`lastModified`) that the source had given when it was read: what it stored later was
    /// not copied. `None` if it never gave one.
    pub last_stamp: Option<jiff::Timestamp>,
    /// From the beginning until everything was on disk.
    pub elapsed: Duration,
}

/// What came of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableReport {
    /// Its name.
    pub table: &'static str,
    /// Rows of the source.
    pub rows: u64,
    /// What these rows hold.
    pub digest: Digest,
    /// How long copying and comparing took.
    pub elapsed: Duration,
}

impl TableReport {
    pub(super) fn new(table: &Table, sum: Sum, elapsed: Duration) -> Self {
        TableReport {
            table: table.name,
            rows: sum.rows,
            digest: sum.digest,
            elapsed,
        }
    }
}
