//! Opens a folder: takes the lock, checks that it is a copy, and removes what a killed run left.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use super::file::temporary_path;
use super::state_file::{STATE, STATE_INTERVAL, parse};
use super::{FolderTarget, Months};
use crate::durable;
use crate::sync::state::State;

const LOCK: &str = ".sync-lock";

impl FolderTarget {
    /// Opens or creates the folder.
    ///
    /// # Errors
    /// When another run is writing the copy, or the folder contains something else.
    pub(in crate::sync) fn open(path: &Path) -> Result<Self> {
        durable::create_folders(path).context("the folder cannot be created")?;
        let lock = lock(&path.join(LOCK))?;
        let mut folder = FolderTarget {
            path: path.to_owned(),
            months: Months::new(),
            parts: BTreeSet::new(),
            state: None,
            state_written: Instant::now(),
            state_interval: STATE_INTERVAL,
            unsynced: BTreeSet::new(),
            // An earlier run may have been killed before it flushed them.
            has_unsynced_folders: path.join("values").is_dir(),
            begun: None,
            _lock: lock,
        };
        match fs::read_to_string(folder.file(STATE)) {
            Ok(text) => folder.load(&text)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => folder.check_empty()?,
            Err(error) => return Err(error).context(format!("{STATE} cannot be read")),
        }
        Ok(folder)
    }

    /// Reads the stored state without changing the folder.
    pub(in crate::sync) fn read_state(path: &Path) -> Result<Option<State>> {
        match fs::read_to_string(path.join(STATE)) {
            Ok(text) => Ok(Some(parse(&text)?.1)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).context(format!("{STATE} cannot be read")),
        }
    }

    fn load(&mut self, text: &str) -> Result<()> {
        let (mut read, state) = parse(text)?;
        self.mark_missing_files(&mut read.months);
        self.state = Some(state);
        self.months = read.months;
        self.parts = read.parts;
        self.remove_leftovers(&self.path, |_| false)?;
        for (folder, datasource) in self.value_folders()? {
            let known = self.months.get(&datasource);
            let is_known = |month| known.is_some_and(|known| known.contains_key(&month));
            self.remove_leftovers(&folder, |name| {
                let month = name.strip_suffix(".parquet").map(str::parse);
                matches!(month, Some(Ok(month)) if !is_known(month))
            })?;
        }
        Ok(())
    }

    /// Marks the months as uncertain whose files somebody removed, so that they are read again.
    fn mark_missing_files(&self, months: &mut Months) {
        for (datasource, months) in months {
            for (month, count) in months {
                let file = self.month_file(*datasource, *month);
                if matches!(file.try_exists(), Ok(false)) {
                    *count = None;
                }
            }
        }
    }

    /// Removes what a killed run left: temporary files, and other files that `is_left` selects.
    fn remove_leftovers(&self, folder: &Path, is_left: impl Fn(&str) -> bool) -> Result<()> {
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
            let left = temporary_path(Path::new(STATE));
            if name != LOCK && name != left.as_os_str() {
                bail!(
                    "it contains `{}` but no {STATE}, expected an empty folder or one with a copy",
                    name.to_string_lossy()
                );
            }
        }
        Ok(())
    }

    /// The folders of values, with their datasources.
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
}

/// Locks a file.
///
/// # Errors
/// When another process holds it.
pub(in crate::sync::target) fn lock(path: &Path) -> Result<File> {
    let file = durable::private_options()
        .truncate(false)
        .open(path)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => bail!("another sync is writing it"),
        Err(fs::TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{} cannot be locked", path.display()))
        }
    }
}
