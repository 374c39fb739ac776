//! A copy as Parquet files: one for each table, and one for each month of a datasource's values.
//!
//! A file is replaced as a whole. The state is a file too and is written last, so the data may be newer than
//! the state. Therefore all steps are idempotent and ordered: parts are written before the records that own
//! them, and the state notes meanwhile that orphaned parts may exist; where files do not say how many rows
//! they have, a month is marked as uncertain before its file is replaced.

mod delta;
mod diff;
mod folder;
mod parquet_file;
mod rewrite;
mod state_file;
mod storage;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::Result;

use self::diff::Diff;
use self::parquet_file::{Reader, Writer, Written};
use self::rewrite::{RowOrder, rewrite_file};
use self::storage::{FileKey, Months, Storage};
use super::{Counts, RowUpdate, Scope, Target};
use crate::sync::month::Month;
use crate::sync::row::{GroupRows, Table, TableGroup, TableRow};
use crate::sync::state::State;

pub(in crate::sync) use self::delta::{DeltaTarget, Options as BucketOptions};
pub(in crate::sync) use self::folder::FolderTarget;
pub(super) use self::folder::lock;

/// The files of a copy.
pub(in crate::sync) struct FilesTarget<S> {
    storage: S,
    months: Months,
    /// Tables whose parts are being replaced: there may be orphaned parts.
    parts: BTreeSet<String>,
    /// The state as last saved, and when it was last written.
    state: Option<State>,
    state_written: Option<Instant>,
    state_interval: Duration,
    begun: Option<Begun>,
}

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

impl<S: Storage> FilesTarget<S> {
    /// Opens the copy in a storage. Removes the months that the state does not know: a run was killed before
    /// it wrote the state, and what it read may have been deleted since.
    fn in_storage(mut storage: S) -> Result<Self> {
        let stored = storage.read_state()?;
        let stored = stored.map(|text| state_file::parse(&text)).transpose()?;
        let (mut months, mut parts, mut state) = (Months::new(), BTreeSet::new(), None);
        if let Some((read, found)) = stored {
            let unknown;
            (months, unknown) = match S::KNOWS_COUNTS {
                true => storage
                    .months()?
                    .into_iter()
                    .partition(|(datasource, _)| found.values.contains_key(datasource)),
                false => known_months(read.months, storage.months()?),
            };
            for (datasource, months) in unknown {
                for month in months.into_keys() {
                    storage.remove(FileKey::Month(datasource, month))?;
                }
            }
            parts = read.parts;
            state = Some(found);
        }
        Ok(FilesTarget {
            months,
            parts,
            state,
            state_written: None,
            state_interval: S::MONTHS_INTERVAL,
            begun: None,
            storage,
        })
    }

    fn reader(&mut self, table: &Table, file: FileKey) -> Result<Option<Reader>> {
        let path = self.storage.readable(file)?;
        path.map(|path| Reader::open(table, &path)).transpose()
    }

    fn writer(&mut self, table: &Table, file: FileKey) -> Result<Writer> {
        Writer::new(table, self.storage.writable(file)?)
    }

    fn rewrite(
        &mut self,
        table: &Table,
        stays: impl Fn(&TableRow) -> bool,
        rows: Vec<TableRow>,
    ) -> Result<(Written, Counts)> {
        let file = FileKey::Table(table.name);
        let reader = self.reader(table, file)?;
        rewrite_file(table, reader, self.writer(table, file)?, stays, rows)
    }
}

/// The months that a state knows, and the files that it does not know.
fn known_months(mut known: Months, mut found: Months) -> (Months, Months) {
    for (datasource, months) in &mut known {
        let mut of = found.remove(datasource).unwrap_or_default();
        for (month, count) in months {
            // Somebody removed the file, so it is read again.
            if of.remove(month).is_none() {
                *count = None;
            }
        }
        found.insert(*datasource, of);
    }
    (known, found)
}

impl<S: Storage> Target for FilesTarget<S> {
    fn state(&mut self) -> Result<Option<State>> {
        Ok(self.state.clone())
    }

    fn save(&mut self, state: &State) -> Result<()> {
        self.commit_with_state_if_due(S::SAVE_INTERVAL, state)
    }

    fn end(&mut self, state: &State) -> Result<()> {
        self.commit_with_state(state)?;
        self.storage.end()
    }

    fn columns(&mut self, table: &Table) -> Result<BTreeSet<String>> {
        let file = FileKey::Table(table.name);
        if let Some(columns) = self.storage.columns(file)? {
            return Ok(columns);
        }
        let path = self.storage.readable(file)?;
        path.map_or(Ok(BTreeSet::new()), |path| parquet_file::columns(&path))
    }

    fn begin(&mut self, scope: Scope<'_>) -> Result<()> {
        let (Scope::All(group) | Scope::Month(group, ..)) = scope;
        let (files, month): (Vec<(&Table, FileKey)>, _) = match scope {
            Scope::All(group) => {
                let file = |table: &Table| FileKey::Table(table.name);
                let files = group.tables().map(|table| (table, file(table)));
                (files.collect(), None)
            }
            Scope::Month(group, datasource, month) => {
                let file = FileKey::Month(datasource, month);
                (vec![(&group.main, file)], Some((datasource, month)))
            }
        };
        let mut begun = Vec::with_capacity(files.len());
        for (table, file) in files {
            let order = match month {
                None => RowOrder::Key(table.key),
                Some(_) => RowOrder::Date,
            };
            begun.push(BegunFile {
                diff: Diff::new(self.reader(table, file)?, order)?,
                writer: self.writer(table, file)?,
            });
        }
        self.begun = Some(Begun {
            group: group.clone(),
            month,
            files: begun,
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
            written.push(file.writer.close()?);
        }
        match begun.month {
            None => self.publish_if_changed(&begun.group, written, &counts, state)?,
            Some(month) => {
                for (written, counts) in written.into_iter().zip(&counts) {
                    self.finish_month(&begun.group.main, written, *counts, month, state)?;
                }
            }
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
            let stays = |row: &TableRow| !gone.contains(&row[column].id());
            let (file, of_table) = self.rewrite(table, stays, rows)?;
            written.push(file);
            counts.push(of_table);
        }
        self.publish_if_changed(group, written, &counts, state)?;
        Ok(counts[0])
    }

    fn ids(&mut self, group: &TableGroup) -> Result<Vec<i32>> {
        let path = self.storage.readable(FileKey::Table(group.main.name))?;
        let ids = path.map_or(Ok(Vec::new()), |path| parquet_file::ids(&path))?;
        if self.parts.contains(group.main.name) {
            self.remove_orphans(group, &ids)?;
        }
        Ok(ids)
    }

    fn rows(&mut self, group: &TableGroup) -> Result<u64> {
        let file = FileKey::Table(group.main.name);
        if let Some(rows) = self.storage.rows(file)? {
            return Ok(rows);
        }
        let path = self.storage.readable(file)?;
        path.map_or(Ok(0), |path| parquet_file::rows(&path))
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
            self.storage.remove(FileKey::Month(datasource, *month))?;
        }
        self.storage.remove_datasource(datasource)?;
        self.months.remove(&datasource);
        self.commit_with_state_if_due(S::SAVE_INTERVAL, state)?;
        Ok(months.values().flatten().sum())
    }
}
