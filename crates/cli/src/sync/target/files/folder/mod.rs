//! A folder of files. A file is written under a temporary name and then renamed, so that readers always open
//! a complete one.

mod open;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::FilesTarget;
use super::parquet_file::Written;
use super::state_file::STATE;
use super::storage::{FileKey, Months, Storage};
use crate::durable;
use crate::sync::row::Table;

pub(in crate::sync::target) use self::open::lock;

/// A copy in a folder.
pub(in crate::sync) type FolderTarget = FilesTarget<Folder>;

/// A folder, and the lock against concurrent runs.
pub(in crate::sync) struct Folder {
    path: PathBuf,
    /// Datasources whose month files were renamed or removed since the last commit.
    unsynced: BTreeSet<i32>,
    /// A folder of a datasource was made or removed, and its name is not on disk.
    has_unsynced_folders: bool,
    /// Files of tables were renamed since the last commit.
    has_unsynced_tables: bool,
    _lock: File,
}

impl Folder {
    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn values_folder(&self, datasource: i32) -> PathBuf {
        self.file("values").join(format!("datasource={datasource}"))
    }

    pub(super) fn path_of(&self, file: FileKey) -> PathBuf {
        match file {
            FileKey::Table(name) => self.file(&format!("{name}.parquet")),
            FileKey::Month(datasource, month) => self
                .values_folder(datasource)
                .join(format!("{month}.parquet")),
        }
    }
}

impl Storage for Folder {
    // They do, but reading them takes longer than reading the state.
    const KNOWS_COUNTS: bool = false;
    const MONTHS_INTERVAL: Duration = Duration::from_secs(1);
    const SAVE_INTERVAL: Duration = Duration::ZERO;

    fn read_state(&mut self) -> Result<Option<String>> {
        open::read_state(&self.path)
    }

    fn write_state(&mut self, state: &[u8]) -> Result<()> {
        let to = self.file(STATE);
        let from = temporary_path(&to);
        let write = || {
            let mut file = durable::create(&from)?;
            std::io::Write::write_all(&mut file, state)?;
            durable::sync(&file, &from)?;
            durable::publish(&from, &to)
        };
        write().context("the state cannot be written")
    }

    fn months(&mut self) -> Result<Months> {
        let mut months = Months::new();
        for (folder, datasource) in self.value_folders()? {
            for entry in fs::read_dir(folder)? {
                let name = entry?.file_name();
                let name = name.to_string_lossy();
                if let Some(Ok(month)) = name.strip_suffix(".parquet").map(str::parse) {
                    months.entry(datasource).or_default().insert(month, None);
                }
            }
        }
        Ok(months)
    }

    fn exists(&mut self, file: FileKey) -> Result<bool> {
        Ok(self.path_of(file).try_exists()?)
    }

    fn readable(&mut self, file: FileKey) -> Result<Option<PathBuf>> {
        let path = self.path_of(file);
        Ok(path.try_exists()?.then_some(path))
    }

    fn writable(&mut self, file: FileKey) -> Result<PathBuf> {
        if let FileKey::Month(datasource, _) = file {
            let folder = self.values_folder(datasource);
            if !folder.exists() {
                fs::create_dir_all(folder)?;
                self.has_unsynced_folders = true;
            }
        }
        Ok(temporary_path(&self.path_of(file)))
    }

    /// The file takes over the mode of the one that it replaces, or of the state.
    fn publish(&mut self, file: FileKey, _: &Table, written: Written) -> Result<()> {
        let to = self.path_of(file);
        durable::copy_mode(&self.file(STATE), &written.path)
            .and_then(|()| durable::rename(&written.path, &to))
            .with_context(|| format!("{} cannot be renamed to its final name", to.display()))?;
        match file {
            FileKey::Table(_) => self.has_unsynced_tables = true,
            FileKey::Month(datasource, _) => {
                self.unsynced.insert(datasource);
            }
        }
        Ok(())
    }

    fn remove(&mut self, file: FileKey) -> Result<()> {
        let path = self.path_of(file);
        durable::remove(&path).with_context(|| format!("{} cannot be removed", path.display()))?;
        if let FileKey::Month(datasource, _) = file {
            self.unsynced.insert(datasource);
        }
        Ok(())
    }

    fn remove_datasource(&mut self, datasource: i32) -> Result<()> {
        // Fails if the folder contains files of others.
        if fs::remove_dir(self.values_folder(datasource)).is_ok() {
            self.unsynced.remove(&datasource);
            self.has_unsynced_folders = true;
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        for datasource in std::mem::take(&mut self.unsynced) {
            let folder = self.values_folder(datasource);
            if folder.exists() {
                durable::sync_folder(&folder)?;
            }
        }
        if std::mem::take(&mut self.has_unsynced_folders) {
            durable::sync_folder(&self.file("values"))?;
        }
        if std::mem::take(&mut self.has_unsynced_tables) {
            durable::sync_folder(&self.path)?;
        }
        Ok(())
    }
}

/// The temporary path of a file. No glob for Parquet files matches it.
fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.new"))
}
