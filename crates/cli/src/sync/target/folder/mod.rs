//! A copy as a folder of Parquet files: one for each table, and one for each month of a datasource's values.
//!
//! A file is replaced as a whole by a rename. The state is a file too, and is renamed last: what it says is
//! in the files, which may be newer than it. So every change is made in an order in which doing it once more
//! does no harm: parts of records before the records, by which it is told what is there, with a note that
//! there may be parts of none; and a month whose number of values is known is noted as doubtful before its
//! file is touched.

mod diff;
mod exchange;
mod file;
mod kept;
mod open;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;

use self::diff::{Diff, by_id};
use self::exchange::{by_date, exchanged, key};
use self::file::{Reader, Writer};
use self::kept::remove;
use super::{Counts, Exchange, Scope, Target};
use crate::sync::month::Month;
use crate::sync::row::{Group, Row, Rows, Table};
use crate::sync::state::State;

pub(super) use self::open::lock;

/// A folder, and the lock that keeps other runs away.
pub(in crate::sync) struct Folder {
    path: PathBuf,
    months: Months,
    /// Tables whose parts were being put in their places: there may be some of records that the table has
    /// not.
    parts: BTreeSet<String>,
    /// As it was last kept, and when.
    state: Option<State>,
    kept: Instant,
    keep_interval: Duration,
    /// Datasources whose months were put in their places since.
    touched: BTreeSet<i32>,
    begun: Option<Begun>,
    _lock: File,
}

/// How many values each file of a month has.
type Months = BTreeMap<i32, BTreeMap<Month, Option<u64>>>;

/// What is being replaced.
struct Begun {
    group: Group,
    month: Option<(i32, Month)>,
    writers: Vec<Writer>,
    diff: Diff,
}

impl Folder {
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

impl Target for Folder {
    fn state(&mut self) -> Result<Option<State>> {
        Ok(self.state.clone())
    }

    fn save(&mut self, state: &State) -> Result<()> {
        self.keep(state)
    }

    fn begin(&mut self, scope: Scope<'_>) -> Result<()> {
        let (Scope::All(group) | Scope::Month(group, ..)) = scope;
        let (files, month, key): (Vec<(&Table, PathBuf)>, _, diff::Key) = match scope {
            Scope::All(group) => {
                let file = |table| (table, self.table_file(table));
                (group.tables().map(file).collect(), None, by_id)
            }
            Scope::Month(group, datasource, month) => {
                fs::create_dir_all(self.values_folder(datasource))?;
                let file = self.month_file(datasource, month);
                (
                    vec![(&group.main, file)],
                    Some((datasource, month)),
                    by_date,
                )
            }
        };
        let (main, path) = &files[0];
        let diff = Diff::new(Reader::open(main, path)?, key)?;
        let writers = files.iter().map(|(table, path)| Writer::new(table, path));
        self.begun = Some(Begun {
            group: group.clone(),
            month,
            writers: writers.collect::<Result<_>>()?,
            diff,
        });
        Ok(())
    }

    fn push(&mut self, rows: Rows) -> Result<()> {
        let begun = self.begun.as_mut().expect("begun before");
        for row in rows.main() {
            begun.diff.see(row)?;
        }
        for (writer, rows) in begun.writers.iter_mut().zip(rows.0) {
            for row in rows {
                writer.push(row)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, state: &State) -> Result<Counts> {
        let Begun {
            group,
            month,
            mut writers,
            diff,
        } = self.begun.take().expect("begun before");
        let counts = diff.end()?;
        if let Some(month) = month {
            let writer = writers.pop().expect("a month is one file");
            self.finish_month(writer, month, state)?;
            return Ok(counts);
        }
        let written: Vec<_> = writers
            .into_iter()
            .map(Writer::close)
            .collect::<Result<_>>()?;
        self.put_other(&group, written, counts, state)?;
        Ok(counts)
    }

    fn abandon(&mut self) -> Result<()> {
        let writers = self.begun.take().map(|begun| begun.writers);
        for writer in writers.unwrap_or_default() {
            writer.close()?.discard()?;
        }
        Ok(())
    }

    fn exchange(&mut self, exchange: Exchange<'_>, state: &State) -> Result<Counts> {
        let Exchange {
            group,
            column,
            gone,
            rows,
        } = exchange;
        let mut written = Vec::new();
        let mut counts = None;
        for (table, mut rows) in group.tables().zip(rows.0) {
            let column = if counts.is_none() { column } else { 0 };
            let path = self.table_file(table);
            rows.sort_by_key(|row| key(table, row));
            let stays = |row: &Row| !gone.contains(&row[column].id());
            let (file, of_table) = exchanged(table, &path, stays, rows)?;
            written.push(file);
            counts.get_or_insert(of_table);
        }
        let counts = counts.unwrap_or_default();
        self.put_other(group, written, counts, state)?;
        Ok(counts)
    }

    fn ids(&mut self, group: &Group) -> Result<Vec<i32>> {
        let ids = file::ids(&self.table_file(&group.main))?;
        if self.parts.contains(group.main.name) {
            self.remove_orphans(group, &ids)?;
        }
        Ok(ids)
    }

    fn rows(&mut self, group: &Group) -> Result<u64> {
        file::rows(&self.table_file(&group.main))
    }

    fn put_values(&mut self, _: &Group, _: i32, _: &[Row], _: &State) -> Result<Option<Counts>> {
        Ok(None)
    }

    fn count(&mut self, _: &Group, datasource: i32) -> Result<Option<u64>> {
        let months = self.months.get(&datasource).into_iter().flatten();
        Ok(months.map(|(_, count)| *count).sum())
    }

    fn months(&mut self, _: &Group, datasource: i32) -> Result<BTreeMap<Month, Option<u64>>> {
        Ok(self.months.get(&datasource).cloned().unwrap_or_default())
    }

    fn renew(&mut self, datasource: i32, months: &BTreeSet<Month>) -> Result<()> {
        self.doubt(datasource, months.iter().copied())
    }

    fn drop_values(&mut self, _: &Group, datasource: i32, state: &State) -> Result<u64> {
        let months = self.months.get(&datasource).cloned().unwrap_or_default();
        self.doubt(datasource, months.keys().copied())?;
        for month in months.keys() {
            remove(&self.month_file(datasource, *month))?;
        }
        // Somebody else's files keep it there.
        let _ = fs::remove_dir(self.values_folder(datasource));
        self.months.remove(&datasource);
        self.keep(state)?;
        Ok(months.values().flatten().sum())
    }
}
