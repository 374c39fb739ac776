//! The targets of a copy, behind one trait. Each target ensures in its own way that the copy is consistent
//! after a kill.
//!
//! Nothing here sends requests to the service.

mod files;
mod postgres;
mod sql;
mod sqlite;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use anyhow::Result;

use super::month::Month;
use super::row::{GroupRows, Table, TableGroup, TableRow};
use super::state::State;

pub(super) use files::{BucketOptions, DeltaTarget, FolderTarget};
pub(super) use postgres::Postgres;
pub(super) use sql::SqlTarget;
pub(super) use sqlite::Sqlite;

/// The location of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Location {
    FolderTarget(PathBuf),
    /// `s3://BUCKET/PREFIX`, as it was given.
    Bucket(String),
    Sqlite(PathBuf),
    Postgres(String),
}

/// Without the password.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::FolderTarget(path) => path.display().fmt(f),
            Location::Bucket(url) => f.write_str(url),
            Location::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Location::Postgres(url) => f.write_str(&obeya_server::without_password(url)),
        }
    }
}

/// A set of rows that is replaced as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope<'a> {
    /// All rows of the group; they are pushed in the order of their keys.
    All(&'a TableGroup),
    /// A month of a datasource's values; they are pushed in the order of their dates.
    Month(&'a TableGroup, i32, Month),
}

/// The number of rows that were added, changed or deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) added: u64,
    pub(super) changed: u64,
    pub(super) deleted: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.added += other.added;
        self.changed += other.changed;
        self.deleted += other.deleted;
    }
}

/// Replaces some rows of a group.
#[derive(Debug)]
pub(super) struct RowUpdate<'a> {
    pub(super) group: &'a TableGroup,
    /// The rows to delete: those of the main table with one of these ids in this column, and the parts of
    /// records with these ids.
    pub(super) column: usize,
    pub(super) gone: &'a BTreeSet<i32>,
    /// The rows to insert.
    pub(super) rows: GroupRows,
}

/// A target of a copy. All methods block.
///
/// A method that takes a state stores it together with the data: after a kill, the state is never newer than
/// the rows.
pub(super) trait Target: Send {
    /// The stored state; `None` for a new copy.
    fn state(&mut self) -> Result<Option<State>>;

    /// Stores a state; perhaps not at once.
    fn save(&mut self, state: &State) -> Result<()>;

    /// Stores the state at the end of a run.
    fn end(&mut self, state: &State) -> Result<()> {
        self.save(state)
    }

    /// The columns that a table has in the target; empty if it does not exist.
    fn columns(&mut self, table: &Table) -> Result<BTreeSet<String>>;

    /// Begins to replace what is in scope.
    fn begin(&mut self, scope: Scope<'_>) -> Result<()>;

    /// Adds rows to the replacement.
    fn push(&mut self, rows: GroupRows) -> Result<()>;

    /// Completes the replacement with the rows pushed.
    fn finish(&mut self, state: &State) -> Result<Counts>;

    /// Discards the replacement.
    fn abandon(&mut self) -> Result<()>;

    /// Replaces some rows. Returns the counts of the group's main table.
    fn update_rows(&mut self, update: RowUpdate<'_>, state: &State) -> Result<Counts>;

    /// The ids of all rows of a group's main table, ascending.
    fn ids(&mut self, group: &TableGroup) -> Result<Vec<i32>>;

    /// The number of rows of a group's main table.
    fn rows(&mut self, group: &TableGroup) -> Result<u64>;

    /// Upserts values by id; `None` if this target can only rewrite whole months.
    fn put_values(
        &mut self,
        group: &TableGroup,
        datasource: i32,
        rows: &[TableRow],
        state: &State,
    ) -> Result<Option<Counts>>;

    /// The number of values of a datasource; `None` if it is uncertain.
    fn count(&mut self, group: &TableGroup, datasource: i32) -> Result<Option<u64>>;

    /// The number of values in each month; `None` for a month where it is uncertain.
    fn months(
        &mut self,
        group: &TableGroup,
        datasource: i32,
    ) -> Result<BTreeMap<Month, Option<u64>>>;

    /// Announces that months will be replaced, so that a target can record all of them in one step.
    fn mark_months_stale(&mut self, _datasource: i32, _months: &BTreeSet<Month>) -> Result<()> {
        Ok(())
    }

    /// Removes all values of a datasource.
    fn delete_values(&mut self, group: &TableGroup, datasource: i32, state: &State) -> Result<u64>;
}
