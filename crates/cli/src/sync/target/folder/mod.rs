//! A copy as a folder of Parquet files: one for each table, and one for each month of a datasource's values.
//!
//! A file is replaced as a whole by a rename. The state is a file too, and is renamed last: what it says is in the files, which may be
//! newer than it. So every change is made in an order in which doing it once more does no harm: parts of records before the records, by
//! which it is told what is there, with a note that there may be parts of none; and a month whose number of values is known is noted as
//! doubtful before its file is touched.

mod diff;
mod file;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use self::diff::{Diff, by_id};
use self::file::{Reader, Writer, beside, micros};
use super::{Counts, Exchange, Scope, Target};
use crate::sync::month::Month;
use crate::sync::row::{Group, Row, Rows, Table, Value};
use crate::sync::state::State;

/// The file that says how far the copy is.
const STATE: &str = "sync-state.json";
const LOCK: &str = ".sync-lock";

/// How long months are put in their places before it is kept how far that went.
const KEEP: Duration = Duration::from_secs(1);

/// A folder, and the lock that keeps other runs away.
pub(in crate::sync) struct Folder {
    path: PathBuf,
    months: Months,
    /// Tables whose parts were being put in their places: there may be some of records that the table has not.
    parts: BTreeSet<String>,
    /// As it was last kept, and when.
    state: Option<State>,
    kept: Instant,
    /// Datasources whose months were put in their places since.
    touched: BTreeSet<i32>,
    begun: Option<Begun>,
    _lock: File,
}

/// How many values each file of a month has.
type Months = BTreeMap<i32, BTreeMap<Month, Option<u64>>>;

/// The state file. `None` for a month's values: its file is being replaced, and may be the old or the new one.
#[derive(Serialize)]
struct Kept<'a> {
    copy: &'a State,
    months: &'a Months,
    parts: &'a BTreeSet<String>,
}

#[derive(Deserialize)]
struct Read {
    copy: serde_json::Value,
    months: Months,
    #[serde(default)]
    parts: BTreeSet<String>,
}

/// What is being replaced.
struct Begun {
    group: Group,
    month: Option<(i32, Month)>,
    writers: Vec<Writer>,
    diff: Diff,
}

impl Folder {
    /// Opens the folder, or makes it.
    ///
    /// # Errors
    /// When another run is at it, or something else is in it.
    pub(in crate::sync) fn open(path: &Path) -> Result<Self> {
        fs::create_dir_all(path).context("the folder cannot be made")?;
        let lock = lock(&path.join(LOCK))?;
        let mut folder = Folder {
            path: path.to_owned(),
            months: Months::new(),
            parts: BTreeSet::new(),
            state: None,
            kept: Instant::now(),
            touched: BTreeSet::new(),
            begun: None,
            _lock: lock,
        };
        match fs::read_to_string(folder.file(STATE)) {
            Ok(text) => folder.take(&text)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => folder.check_empty()?,
            Err(error) => return Err(error).context(format!("{STATE} cannot be read")),
        }
        Ok(folder)
    }

    /// Reads what a folder says of itself, and changes nothing there.
    pub(in crate::sync) fn peek(path: &Path) -> Result<Option<State>> {
        match fs::read_to_string(path.join(STATE)) {
            Ok(text) => Ok(Some(parse(&text)?.1)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).context(format!("{STATE} cannot be read")),
        }
    }

    fn take(&mut self, text: &str) -> Result<()> {
        let (read, state) = parse(text)?;
        self.state = Some(state);
        self.months = read.months;
        self.parts = read.parts;
        self.tidy(&self.path, |_| false)?;
        for (folder, datasource) in self.value_folders()? {
            let known = self.months.get(&datasource);
            let is_known = |month| known.is_some_and(|known| known.contains_key(&month));
            self.tidy(&folder, |name| {
                let month = name.strip_suffix(".parquet").map(str::parse);
                matches!(month, Some(Ok(month)) if !is_known(month))
            })?;
        }
        Ok(())
    }

    /// Removes what a run left that was killed: files that were not yet whole, and others that are not wanted.
    fn tidy(&self, folder: &Path, is_left: impl Fn(&str) -> bool) -> Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if (name.starts_with('.') && name.ends_with(".new")) || is_left(&name) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    fn check_empty(&self) -> Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name();
            let left = beside(Path::new(STATE));
            if name != LOCK && name != left.as_os_str() {
                bail!(
                    "it holds `{}` and no {STATE}, expected an empty folder or one with a copy in it",
                    name.to_string_lossy()
                );
            }
        }
        Ok(())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn table_file(&self, table: &Table) -> PathBuf {
        self.file(&format!("{}.parquet", table.name))
    }

    /// The folders with values, and whose they are.
    fn value_folders(&self) -> Result<Vec<(PathBuf, i32)>> {
        let entries = match fs::read_dir(self.file("values")) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut folders = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let id = name.to_string_lossy();
            if let Some(Ok(id)) = id.strip_prefix("datasource=").map(str::parse) {
                folders.push((entry.path(), id));
            }
        }
        Ok(folders)
    }

    fn values_folder(&self, datasource: i32) -> PathBuf {
        self.file("values").join(format!("datasource={datasource}"))
    }

    fn month_file(&self, datasource: i32, month: Month) -> PathBuf {
        self.values_folder(datasource)
            .join(format!("{month}.parquet"))
    }

    fn keep(&mut self, state: &State) -> Result<()> {
        for datasource in std::mem::take(&mut self.touched) {
            on_disk(&self.values_folder(datasource))?;
        }
        let kept = Kept {
            copy: state,
            months: &self.months,
            parts: &self.parts,
        };
        let to = self.file(STATE);
        let from = beside(&to);
        let mut file = File::create(&from).context("the state cannot be written")?;
        serde_json::to_writer(&mut file, &kept).context("the state cannot be written")?;
        file.sync_all()?;
        fs::rename(&from, &to)?;
        on_disk(&self.path)?;
        self.state = Some(state.clone());
        self.kept = Instant::now();
        Ok(())
    }

    /// Notes that months may soon be others than they were.
    fn doubt(&mut self, datasource: i32, months: impl IntoIterator<Item = Month>) -> Result<()> {
        let of = self.months.entry(datasource).or_default();
        of.extend(months.into_iter().map(|month| (month, None)));
        self.keep_again()
    }

    /// Keeps what changed beside the state.
    fn keep_again(&mut self) -> Result<()> {
        let state = self.state.clone().expect("kept before anything is written");
        self.keep(&state)
    }

    /// Puts the files of a group in their places.
    fn put(&mut self, group: &Group, written: Vec<file::Written>, state: &State) -> Result<()> {
        let name = group.main.name;
        if !group.parts.is_empty() && self.parts.insert(name.to_owned()) {
            self.keep_again()?;
        }
        // The records last: what is missing or too much is told by them.
        for file in written.into_iter().rev() {
            file.publish()?;
        }
        on_disk(&self.path)?;
        self.parts.remove(name);
        self.keep(state)
    }

    /// Removes parts of records that are not there: a run was ended before it put them in their place, and they may be gone by now.
    fn remove_orphans(&mut self, group: &Group, ids: &[i32]) -> Result<()> {
        for table in &group.parts {
            let path = self.table_file(table);
            if path.exists() {
                let has_owner = |row: &Row| ids.binary_search(&row[0].id()).is_ok();
                exchanged(table, &path, has_owner, Vec::new())?.publish()?;
            }
        }
        on_disk(&self.path)?;
        self.parts.remove(group.main.name);
        self.keep_again()
    }

    fn finish_month(
        &mut self,
        writer: Writer,
        (datasource, month): (i32, Month),
        state: &State,
    ) -> Result<()> {
        let rows = writer.rows;
        let written = writer.close()?;
        let there = self.months.get(&datasource).and_then(|of| of.get(&month));
        if matches!(there, Some(Some(_))) {
            self.doubt(datasource, [month])?;
        }
        let of = self.months.entry(datasource).or_default();
        if rows == 0 {
            of.remove(&month);
            written.discard()?;
            remove(&self.month_file(datasource, month))?;
        } else {
            of.insert(month, Some(rows));
            written.publish()?;
        }
        self.touched.insert(datasource);
        if self.kept.elapsed() < KEEP {
            return Ok(());
        }
        self.keep(state)
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
        let is_alone = written.len() == 1;
        let is_there = written.iter().all(file::Written::is_there);
        if is_alone && is_there && counts == Counts::default() {
            for file in written {
                file.discard()?;
            }
            self.keep(state)?;
        } else {
            self.put(&group, written, state)?;
        }
        Ok(counts)
    }

    fn abandon(&mut self) -> Result<()> {
        let writers = self.begun.take().map(|begun| begun.writers);
        for writer in writers.unwrap_or_default() {
            writer.close()?.discard()?;
        }
        Ok(())
    }

    fn exchange(&mut self, exchange: Exchange<'_>, state: &State) -> Result<()> {
        let Exchange {
            group,
            column,
            gone,
            rows,
        } = exchange;
        let mut written = Vec::new();
        for (place, (table, mut rows)) in group.tables().zip(rows.0).enumerate() {
            let column = if place == 0 { column } else { 0 };
            let path = self.table_file(table);
            rows.sort_by_key(|row| key(table, row));
            let stays = |row: &Row| !gone.contains(&row[column].id());
            written.push(exchanged(table, &path, stays, rows)?);
        }
        self.put(group, written, state)
    }

    fn ids(&mut self, group: &Group) -> Result<Vec<i32>> {
        let ids = file::ids(&self.table_file(&group.main))?;
        if self.parts.contains(group.main.name) {
            self.remove_orphans(group, &ids)?;
        }
        Ok(ids)
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

/// Takes the lock in a file.
///
/// # Errors
/// When another process holds it.
pub(super) fn lock(path: &Path) -> Result<File> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => bail!("another sync is at work on it"),
        Err(fs::TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{} cannot be locked", path.display()))
        }
    }
}

/// Writes a file anew with those of its rows that stay and with others, in the order of their keys.
fn exchanged(
    table: &Table,
    path: &Path,
    stays: impl Fn(&Row) -> bool,
    rows: Vec<Row>,
) -> Result<file::Written> {
    let mut writer = Writer::new(table, path)?;
    let mut rows = rows.into_iter().peekable();
    for old in Reader::open(table, path)?.into_iter().flatten() {
        let old = old?;
        if !stays(&old) {
            continue;
        }
        let at = key(table, &old);
        while let Some(row) = rows.next_if(|row| key(table, row) < at) {
            writer.push(row)?;
        }
        writer.push(old)?;
    }
    for row in rows {
        writer.push(row)?;
    }
    writer.close()
}

/// What a table's rows are ordered by.
fn key(table: &Table, row: &Row) -> (i32, i32) {
    let second = if table.key > 1 { row[1].id() } else { 0 };
    (row[0].id(), second)
}

/// Values are in the order of their dates.
fn by_date(row: &Row) -> (i64, i32) {
    let date = row.iter().rev().find_map(|value| match value {
        Value::Instant(instant) => Some(micros(*instant)),
        _ => None,
    });
    (date.unwrap_or_default(), row[0].id())
}

fn parse(text: &str) -> Result<(Read, State)> {
    let read: Read =
        serde_json::from_str(text).with_context(|| format!("{STATE} is none of a copy"))?;
    let state = State::parse(&read.copy.to_string())?;
    Ok((read, state))
}

/// Has renames in a folder on disk before anything builds on them.
fn on_disk(folder: &Path) -> Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::run;
    use crate::sync::state::Source;

    /// A folder with a state and no rows.
    fn new() -> (tempfile::TempDir, Folder, Group, State) {
        let place = tempfile::tempdir().unwrap();
        let (url, client_id) = (String::new(), String::new());
        let state = State::new(Source { url, client_id });
        let mut folder = Folder::open(place.path()).unwrap();
        folder.save(&state).unwrap();
        (place, folder, run::values(), state)
    }

    /// Has these values, and no others, in March 2026.
    fn replace(folder: &mut Folder, group: &Group, ids: std::ops::Range<i32>, state: &State) {
        let date = "2026-03-02T06:12:00Z".parse().unwrap();
        let cell = |name: &str, id| match name {
            "id" => Value::Int(id),
            "datasource_id" => Value::Int(12),
            "value_date" | "registration_date" => Value::Instant(date),
            _ => Value::Null,
        };
        let row = |id| group.main.names().map(|name| cell(name, id)).collect();
        let month = Month::of(date);
        folder.begin(Scope::Month(group, 12, month)).unwrap();
        folder.push(Rows(vec![ids.map(row).collect()])).unwrap();
        folder.finish(state).unwrap();
    }

    #[test]
    fn the_number_of_values_of_a_month_is_not_believed_after_a_run_that_ended_at_it() {
        let (place, mut folder, group, state) = new();
        replace(&mut folder, &group, 1..11, &state);
        folder.save(&state).unwrap();
        assert_eq!(folder.count(&group, 12).unwrap(), Some(10));
        // Ended here: the file has two values more than the state ever knew of.
        replace(&mut folder, &group, 1..13, &state);
        drop(folder);
        let mut folder = Folder::open(place.path()).unwrap();
        assert_eq!(folder.count(&group, 12).unwrap(), None);
        let months = folder.months(&group, 12).unwrap();
        assert_eq!(months.into_values().collect::<Vec<_>>(), [None]);
    }

    #[test]
    fn parts_of_a_record_that_never_came_to_its_place_are_removed() {
        let (place, mut folder, _, state) = new();
        let group = run::incidents(&state);
        let row = |table: &Table, id| -> Row {
            let cell = |place| {
                if place < table.key {
                    Value::Int(id)
                } else {
                    Value::Null
                }
            };
            (0..table.columns.len()).map(cell).collect()
        };
        let rows = |ids: &[i32]| -> Vec<Vec<Row>> {
            let tables = group.tables();
            let rows = tables.map(|table| ids.iter().map(|id| row(table, *id)).collect());
            rows.collect()
        };
        let owners = || -> Vec<Vec<i32>> {
            let path = |table: &Table| place.path().join(format!("{}.parquet", table.name));
            group
                .tables()
                .map(|table| file::ids(&path(table)).unwrap())
                .collect()
        };
        folder.begin(Scope::All(&group)).unwrap();
        folder.push(Rows(rows(&[1, 2]))).unwrap();
        folder.finish(&state).unwrap();
        assert!(folder.parts.is_empty());
        // Ended when the parts are in their places and the records are not.
        let written = group.tables().zip(rows(&[3])).map(|(table, rows)| {
            exchanged(table, &folder.table_file(table), |_| true, rows).unwrap()
        });
        let written: Vec<_> = written.collect();
        fs::remove_file(beside(&folder.table_file(&group.main))).unwrap();
        folder.put(&group, written, &state).unwrap_err();
        drop(folder);
        let (some, all) = (vec![1, 2], vec![1, 2, 3]);
        assert_eq!(owners(), [&some, &all, &all, &all, &all].map(Clone::clone));
        let mut folder = Folder::open(place.path()).unwrap();
        assert_eq!(folder.ids(&group).unwrap(), some);
        assert_eq!(owners(), vec![some; 5]);
        drop(folder);
        assert!(Folder::open(place.path()).unwrap().parts.is_empty());
    }

    #[test]
    fn a_month_that_the_state_never_knew_of_is_removed() {
        let (place, mut folder, group, state) = new();
        replace(&mut folder, &group, 1..11, &state);
        let file = place.path().join("values/datasource=12/2026-03.parquet");
        assert!(file.exists());
        drop(folder);
        Folder::open(place.path()).unwrap();
        assert!(!file.exists());
    }
}
