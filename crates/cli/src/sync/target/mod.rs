//! Where the copy goes. What is asked of a target is the same for all; that it is whole after a kill is each
//! one's own matter.
//!
//! Nothing here asks the service for anything.

mod folder;
mod postgres;
mod sql;
mod sqlite;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use anyhow::Result;

use super::month::Month;
use super::row::{Group, Row, Rows};
use super::state::State;

pub(super) use folder::Folder;
pub(super) use postgres::Postgres;
pub(super) use sql::Sql;
pub(super) use sqlite::Sqlite;

/// Where a copy is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Folder(PathBuf),
    Sqlite(PathBuf),
    Postgres(String),
}

/// As it may be shown.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Folder(path) => path.display().fmt(f),
            Place::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Place::Postgres(url) => f.write_str(&obeya_server::without_password(url)),
        }
    }
}

/// What is replaced as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope<'a> {
    /// All rows of the group; they are pushed in the order of their ids.
    All(&'a Group),
    /// A month of a datasource's values; they are pushed in the order of their dates.
    Month(&'a Group, i32, Month),
}

/// Rows that a copy did not have, had otherwise, or has no longer.
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

/// Some rows of a group in the place of others.
#[derive(Debug)]
pub(super) struct Exchange<'a> {
    pub(super) group: &'a Group,
    /// The rows that go: those that have one of these numbers in this column, and the parts of records with
    /// these ids.
    pub(super) column: usize,
    pub(super) gone: &'a BTreeSet<i32>,
    /// The rows that come.
    pub(super) rows: Rows,
}

/// A copy. Everything blocks.
///
/// Whatever takes a state keeps it with the data: after a kill the state is never ahead of the rows.
pub(super) trait Target: Send {
    /// What it says of itself; `None` for a new one.
    fn state(&mut self) -> Result<Option<State>>;

    /// Keeps a state.
    fn save(&mut self, state: &State) -> Result<()>;

    /// Begins to replace what is in scope.
    fn begin(&mut self, scope: Scope<'_>) -> Result<()>;

    /// More of the rows that are to be there.
    fn push(&mut self, rows: Rows) -> Result<()>;

    /// Puts the rows pushed in the place of what was there.
    fn finish(&mut self, state: &State) -> Result<Counts>;

    /// Forgets what was begun.
    fn abandon(&mut self) -> Result<()>;

    /// Exchanges some rows. Tells what became of those of the group's main table.
    fn exchange(&mut self, exchange: Exchange<'_>, state: &State) -> Result<Counts>;

    /// The ids of all rows of a group's main table, ascending.
    fn ids(&mut self, group: &Group) -> Result<Vec<i32>>;

    /// How many rows a group's main table has, without a look at them all where the copy can tell.
    fn rows(&mut self, group: &Group) -> Result<u64>;

    /// Puts values in the place of those with their ids, if this target can do so without rewriting their
    /// months; else `None`.
    fn put_values(
        &mut self,
        group: &Group,
        datasource: i32,
        rows: &[Row],
        state: &State,
    ) -> Result<Option<Counts>>;

    /// How many values it has of a datasource; `None` where nobody can be sure.
    fn count(&mut self, group: &Group, datasource: i32) -> Result<Option<u64>>;

    /// How many values it has in each month; `None` stands for a month whose values nobody can be sure of.
    fn months(&mut self, group: &Group, datasource: i32) -> Result<BTreeMap<Month, Option<u64>>>;

    /// Says that months will be replaced, so that not each of them need be noted on its own.
    fn renew(&mut self, _datasource: i32, _months: &BTreeSet<Month>) -> Result<()> {
        Ok(())
    }

    /// Removes all values of a datasource.
    fn drop_values(&mut self, group: &Group, datasource: i32, state: &State) -> Result<u64>;
}
