//! Opens a folder: takes the lock, checks that it is a copy, and removes what a killed run left.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::{Folder, FolderTarget, temporary_path};
use crate::durable;
use crate::sync::state::State;
use crate::sync::target::files::FilesTarget;
use crate::sync::target::files::state_file::{STATE, parse};

const LOCK: &str = ".sync-lock";

impl FolderTarget {
    /// Opens or creates the folder.
    ///
    /// # Errors
    /// When another run is writing the copy, or the folder contains something else.
    pub(in crate::sync) fn open(path: &Path) -> Result<Self> {
        durable::create_folders(path).context("the folder cannot be created")?;
        let lock = lock(&path.join(LOCK))?;
        let folder = Folder {
            path: path.to_owned(),
            unsynced: BTreeSet::new(),
            // An earlier run may have been killed before it flushed them.
            has_unsynced_folders: path.join("values").is_dir(),
            has_unsynced_tables: false,
            _lock: lock,
        };
        match folder.file(STATE).try_exists()? {
            true => folder.remove_leftovers()?,
            false => folder.check_empty()?,
        }
        FilesTarget::in_storage(folder)
    }

    /// Reads the stored state without changing the folder.
    pub(in crate::sync) fn read_state(path: &Path) -> Result<Option<State>> {
        let text = read_state(path)?;
        text.map(|text| Ok(parse(&text)?.1)).transpose()
    }
}

/// The stored state; `None` if there is none.
pub(super) fn read_state(folder: &Path) -> Result<Option<String>> {
    match fs::read_to_string(folder.join(STATE)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).context(format!("{STATE} cannot be read")),
    }
}

impl Folder {
    /// Removes the temporary files that a killed run left.
    fn remove_leftovers(&self) -> Result<()> {
        let values = self.value_folders()?.into_iter().map(|(folder, _)| folder);
        for folder in std::iter::once(self.path.clone()).chain(values) {
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                let name = entry.file_name();
                let name = name.to_string_lossy();
                if name.starts_with('.') && name.ends_with(".new") {
                    fs::remove_file(entry.path())?;
                }
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
    pub(super) fn value_folders(&self) -> Result<Vec<(PathBuf, i32)>> {
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
