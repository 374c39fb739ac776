//! A copy as a folder of Parquet files: one for each table, and one for each month of a datasource's values.
//!
//! A file is replaced as a whole by a rename. The state is a file too and is renamed last, so the data may be
//! newer than the state. Therefore all steps are idempotent and ordered: parts are written before the records
//! that own them, and the state notes meanwhile that orphaned parts may exist; a month is marked as uncertain
//! before its file is replaced.

mod diff;
mod file;
mod open;
mod rewrite;
mod state_file;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;

use self::diff::Diff;
use self::file::{Reader, Writer};
use self::rewrite::{RowOrder, rewrite_file};
use self::state_file::remove;
use super::{Counts, RowUpdate, Scope, Target};
use crate::sync::month::Month;
use crate::sync::row::{GroupRows, Table, TableGroup, TableRow};
use crate::sync::state::State;

pub(super) use self::open::lock;

/// A folder, and the lock against concurrent runs.
pub(in crate::sync) struct FolderTarget {
    path: PathBuf,
    months: Months,
    /// Tables whose parts are being replaced: there may be orphaned parts.
    parts: BTreeSet<String>,
    /// The state as last written, and when.
    state: Option<State>,
    state_written: Instant,
    state_interval: Duration,
    /// Datasources whose month files were renamed since.
    unsynced: BTreeSet<i32>,
    /// A folder of a datasource was made or removed, and its name is not on disk.
    has_unsynced_folders: bool,
    begun: Option<Begun>,
    _lock: File,
}

/// The number of values in each month file, by datasource; `None` if it is uncertain.
type Months = BTreeMap<i32, BTreeMap<Month, Option<u64>>>;

/// The replacement in progress.
struct Begun {
    group: TableGroup,
    month: Option<(i32, Month)>,
    /// One for each table of the group; only one for a month.
    files: Vec<BegunFile>,
}

struct BegunFile {
    writer: Writer,
    diff: Diff,
}

impl FolderTarget {
    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn table_file(&self, table: &Table) -> PathBuf {
        self.file(&format!("{}.parquet", table.name))
    }

    fn values_folder(&self, datasource: i32) -> PathBuf {
        self.file("values").join(format!("datasource={datasource}"))
    }

    fn month_file(&self, datasource: i32, month: Month) -> PathBuf {
        self.values_folder(datasource)
            .join(format!("{month}.parquet"))
    }
}

impl Target for FolderTarget {
    fn state(&mut self) -> Result<Option<State>> {
        Ok(self.state.clone())
    }

    fn save(&mut self, state: &State) -> Result<()> {
        self.keep(state)
    }

    fn columns(&mut self, table: &Table) -> Result<BTreeSet<String>> {
        file::columns(&self.table_file(table))
    }

    fn begin(&mut self, scope: Scope<'_>) -> Result<()> {
        let (Scope::All(group) | Scope::Month(group, ..)) = scope;
        let (files, month): (Vec<(&Table, PathBuf)>, _) = match scope {
            Scope::All(group) => {
                let file = |table| (table, self.table_file(table));
                (group.tables().map(file).collect(), None)
            }
            Scope::Month(group, datasource, month) => {
                let folder = self.values_folder(datasource);
                if !folder.exists() {
                    fs::create_dir_all(folder)?;
                    self.has_unsynced_folders = true;
                }
                let file = self.month_file(datasource, month);
                (vec![(&group.main, file)], Some((datasource, month)))
            }
        };
        let begin_file = |(table, path): (&Table, PathBuf)| {
            let order = match month {
                None => RowOrder::Key(table.key),
                Some(_) => RowOrder::Date,
            };
            anyhow::Ok(BegunFile {
                diff: Diff::new(Reader::open(table, &path)?, order)?,
                writer: Writer::new(table, &path)?,
            })
        };
        self.begun = Some(Begun {
            group: group.clone(),
            month,
            files: files.into_iter().map(begin_file).collect::<Result<_>>()?,
        });
        Ok(())
    }

    fn push(&mut self, rows: GroupRows) -> Result<()> {
        let begun = self.begun.as_mut().expect("begun before");
        for (file, rows) in begun.files.iter_mut().zip(rows.0) {
            for row in rows {
                file.diff.compare(&row)?;
                file.writer.push(row)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, state: &State) -> Result<Counts> {
        let begun = self.begun.take().expect("begun before");
        let mut counts = Vec::new();
        let mut written = Vec::new();
        for file in begun.files {
            counts.push(file.diff.finish()?);
            match begun.month {
                None => written.push(file.writer.close()?),
                Some(month) => self.finish_month(file.writer, month, state)?,
            }
        }
        if begun.month.is_none() {
            self.publish_if_changed(&begun.group, written, &counts, state)?;
        }
        Ok(counts[0])
    }

    fn abandon(&mut self) -> Result<()> {
        let files = self.begun.take().map(|begun| begun.files);
        for file in files.unwrap_or_default() {
            file.writer.close()?.discard()?;
        }
        Ok(())
    }

    fn update_rows(&mut self, update: RowUpdate<'_>, state: &State) -> Result<Counts> {
        let RowUpdate {
            group,
            column,
            gone,
            mut rows,
        } = update;
        rows.sort(group);
        let (mut written, mut counts) = (Vec::new(), Vec::new());
        for (table, rows) in group.tables().zip(rows.0) {
            let column = if counts.is_empty() { column } else { 0 };
            let path = self.table_file(table);
            let stays = |row: &TableRow| !gone.contains(&row[column].id());
            let (file, of_table) = rewrite_file(table, &path, stays, rows)?;
            written.push(file);
            counts.push(of_table);
        }
        self.publish_if_changed(group, written, &counts, state)?;
        Ok(counts[0])
    }

    fn ids(&mut self, group: &TableGroup) -> Result<Vec<i32>> {
        let ids = file::ids(&self.table_file(&group.main))?;
        if self.parts.contains(group.main.name) {
            self.remove_orphans(group, &ids)?;
        }
        Ok(ids)
    }

    fn rows(&mut self, group: &TableGroup) -> Result<u64> {
        file::rows(&self.table_file(&group.main))
    }

    fn put_values(
        &mut self,
        _: &TableGroup,
        _: i32,
        _: &[TableRow],
        _: &State,
    ) -> Result<Option<Counts>> {
        Ok(None)
    }

    fn count(&mut self, _: &TableGroup, datasource: i32) -> Result<Option<u64>> {
        let months = self.months.get(&datasource).into_iter().flatten();
        Ok(months.map(|(_, count)| *count).sum())
    }

    fn months(&mut self, _: &TableGroup, datasource: i32) -> Result<BTreeMap<Month, Option<u64>>> {
        Ok(self.months.get(&datasource).cloned().unwrap_or_default())
    }

    fn mark_months_stale(&mut self, datasource: i32, months: &BTreeSet<Month>) -> Result<()> {
        self.mark_uncertain(datasource, months.iter().copied())
    }

    fn delete_values(&mut self, _: &TableGroup, datasource: i32, state: &State) -> Result<u64> {
        let months = self.months.get(&datasource).cloned().unwrap_or_default();
        self.mark_uncertain(datasource, months.keys().copied())?;
        for month in months.keys() {
            remove(&self.month_file(datasource, *month))?;
        }
        let folder = self.values_folder(datasource);
        // Fails if the folder contains files of others.
        if fs::remove_dir(&folder).is_ok() {
            self.has_unsynced_folders = true;
        } else if folder.exists() {
            self.unsynced.insert(datasource);
        }
        self.months.remove(&datasource);
        self.keep(state)?;
        Ok(months.values().flatten().sum())
    }
}
