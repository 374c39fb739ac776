//! Where the files of a copy are: in a folder, or in an object store.
//!
//! A storage knows nothing of rows; what a file contains is written and read by `parquet_file`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;

use super::parquet_file::Written;
use crate::sync::month::Month;
use crate::sync::row::Table;

/// A file of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sync) enum FileKey {
    /// All rows of the table of this name.
    Table(&'static str),
    /// A month of the values of a datasource.
    Month(i32, Month),
}

/// The months that have a file, by datasource, with the number of values in each; `None` if it is uncertain.
pub(in crate::sync) type Months = BTreeMap<i32, BTreeMap<Month, Option<u64>>>;

/// The files of a copy, and its state. All methods block.
///
/// After a kill, a file is the old or the new one, and the state is never newer than the files.
pub(in crate::sync) trait Storage: Send {
    /// Whether the files themselves say how many rows each has, so that the state need not.
    const KNOWS_COUNTS: bool;

    /// For how long months may be published before they are committed, and the state is written.
    const MONTHS_INTERVAL: Duration;

    /// For how long any other step may wait for that.
    const SAVE_INTERVAL: Duration;

    /// The state as last written; `None` for a new copy.
    fn read_state(&mut self) -> Result<Option<String>>;

    /// Replaces the state.
    fn write_state(&mut self, state: &[u8]) -> Result<()>;

    /// What distinguishes the states that this run writes from those of other runs, if that is needed.
    fn run_id(&self) -> Option<&str> {
        None
    }

    /// The months that have a file. Their counts are `None` unless the storage knows them.
    fn months(&mut self) -> Result<Months>;

    /// Whether a file exists.
    fn exists(&mut self, file: FileKey) -> Result<bool>;

    /// The number of rows of a file; `None` if only the file itself says it.
    fn rows(&mut self, _: FileKey) -> Result<Option<u64>> {
        Ok(None)
    }

    /// The columns of a file; `None` if only the file itself says which.
    fn columns(&mut self, _: FileKey) -> Result<Option<BTreeSet<String>>> {
        Ok(None)
    }

    /// A local path at which a file can be read; `None` if the file does not exist.
    fn readable(&mut self, file: FileKey) -> Result<Option<PathBuf>>;

    /// A local path at which a new file can be written.
    fn writable(&mut self, file: FileKey) -> Result<PathBuf>;

    /// Puts a new file in its place. Readers may see it from now on, and will after [`Storage::commit`].
    fn publish(&mut self, file: FileKey, table: &Table, written: Written) -> Result<()>;

    /// Removes a file, if it exists.
    fn remove(&mut self, file: FileKey) -> Result<()>;

    /// Removes what is left of a datasource without values.
    fn remove_datasource(&mut self, datasource: i32) -> Result<()>;

    /// Makes all changes since the last time durable, and visible to readers.
    fn commit(&mut self) -> Result<()>;

    /// Ends a run that succeeded.
    fn end(&mut self) -> Result<()> {
        Ok(())
    }
}
