//! The result of a migration.

use std::time::Duration;

use super::digest::{Digest, Sum};
use super::error::Difference;
use obeya_store::table::Table;

/// The result of a migration, or of a comparison of two databases.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MigrateReport {
    /// Each table, in the order they were copied.
    pub tables: Vec<TableReport>,
    /// Where the databases differ, the first difference of each table; none after a migration.
    pub differences: Vec<Difference>,
    /// The latest stamp (`lastModified`) that the source had issued when it was read: what it stored later
    /// was not copied. `None` if it never issued one.
    pub last_stamp: Option<jiff::Timestamp>,
    /// Time until everything was on disk.
    pub elapsed: Duration,
}

/// The result for one table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableReport {
    /// Its name.
    pub table: &'static str,
    /// Rows of the source.
    pub rows: u64,
    /// The digest of these rows.
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
