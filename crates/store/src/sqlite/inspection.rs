//! A session that reads a file as it is: it creates, migrates and checkpoints nothing, also where the schema
//! is an older one.

use std::path::{Path, PathBuf};

use super::connection::{self, SqliteConnection};
use super::files::Files;
use super::lock::Lock;
use super::{backup, integrity, leftover, link, migrate};
use crate::connect::{Connection as _, Fault, Inspect, PagesCopied};
use crate::{LeftoverWal, Session, StoreError, StoreOptions};

/// The table of [`link`].
const LINK: &str = "obeya_log_link";

/// A file in one snapshot.
pub(crate) struct Inspected {
    /// Declared before the lock, so that it is closed first.
    connection: SqliteConnection,
    path: PathBuf,
    /// Held as long as the file is open.
    lock: Option<Lock>,
}

impl Inspected {
    /// Opens a database that other processes may use; also returns the version of its schema. Blocks.
    pub(crate) fn open(path: PathBuf, options: &StoreOptions) -> Result<(Self, i64), StoreError> {
        let files = Files::of(&path);
        if files.main_id()?.is_none() {
            return Err(no_database(&path));
        }
        let mut lock = match link::file_state(&path)? {
            // Do not leave a lock file next to the file of another program.
            link::FileState::Foreign | link::FileState::Empty => None,
            _ => Some(Lock::take(&files, options.busy_timeout)?),
        };
        leftover::check(&files, lock.as_ref(), LeftoverWal::Check)?;
        let connection = connection::open_inspector(&path, options, false)?;
        let (mut inspected, version) = begin(connection, path)?;
        if let Some(lock) = &mut lock {
            lock.release(&files, options.busy_timeout)?;
        }
        inspected.lock = lock;
        Ok((inspected, version))
    }

    /// Opens a file that no other process uses, such as a backup. Blocks.
    pub(crate) fn open_private(
        path: PathBuf,
        options: &StoreOptions,
    ) -> Result<(Self, i64), StoreError> {
        let files = Files::of(&path);
        if files.main_id()?.is_none() {
            return Err(no_database(&path));
        }
        if std::fs::metadata(&files.log).is_ok_and(|log| log.len() > 0) {
            return Err(StoreError::Mismatch(format!(
                "{} has a log beside it, {}, so the file alone is no backup: it is a database in use, or one that a killed \
                 service left. Back it up with `obeya backup`",
                path.display(),
                files.log.display()
            )));
        }
        let connection = connection::open_inspector(&path, options, true)?;
        begin(connection, path)
    }

    fn fault_of_link(&self) -> Result<Option<Fault>, StoreError> {
        if !link::exists(&self.connection)? {
            return Ok(None);
        }
        let fault = link::fault(&self.connection)?;
        Ok(fault.map(|text| Fault::Table(LINK, text)))
    }
}

impl Inspect for Inspected {
    fn session(&mut self) -> &mut dyn Session {
        &mut self.connection
    }

    fn copy_pages(
        &self,
        target: &Path,
        progress: &mut PagesCopied<'_>,
    ) -> Result<Option<bool>, StoreError> {
        backup::copy(&self.connection, target, progress).map(Some)
    }

    /// What SQLite finds in the pages, the indexes and the search indexes of the file.
    fn faults_of_file(&mut self) -> Result<Vec<Fault>, StoreError> {
        let mut faults = Vec::new();
        integrity::find_faults(&mut self.connection, &mut faults)?;
        Ok(faults.into_iter().map(Fault::File).collect())
    }

    /// The faults of the file, of its schema and of its link.
    fn faults(&mut self) -> Result<Vec<Fault>, StoreError> {
        let mut faults = self.faults_of_file()?;
        match migrate::differences(&mut self.connection, &self.path) {
            Ok(differences) => faults.extend(differences.map(Fault::Schema)),
            Err(error) => faults.push(Fault::Schema(unreadable(error)?)),
        }
        match self.fault_of_link() {
            Ok(fault) => faults.extend(fault),
            Err(error) => faults.push(Fault::Table(LINK, unreadable(error)?)),
        }
        Ok(faults)
    }
}

/// The text of an error that is a fault of the file; any other error ends the inspection.
fn unreadable(error: StoreError) -> Result<String, StoreError> {
    match error {
        StoreError::Engine(cause) => Ok(cause.to_string()),
        other => Err(other),
    }
}

/// Opens the snapshot; also returns the version of the schema.
fn begin(mut connection: SqliteConnection, path: PathBuf) -> Result<(Inspected, i64), StoreError> {
    connection.begin_read()?;
    // The first statement opens the snapshot.
    match migrate::version(&connection, &path)? {
        0 => Err(no_database(&path)),
        version => {
            let inspected = Inspected {
                connection,
                path,
                lock: None,
            };
            Ok((inspected, version.into()))
        }
    }
}

fn no_database(path: &Path) -> StoreError {
    StoreError::NoDatabase(path.display().to_string())
}
