//! Copies a database to a file of its own, page by page, and checks where such a file may be restored.
//!
//! Nothing here makes a file durable or gives it its final name: the caller does.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::connection::SqliteConnection;
use super::errors::store_error;
use super::files::{Files, cannot};
use super::link;
use super::lock;
use super::make_private;
use crate::StoreError;
use crate::connect::PagesCopied;

/// Pages between two reports of progress: 8 MiB at our page size.
const PAGES_PER_STEP: i32 = 1024;

/// Copies the database as the open snapshot of `source` sees it to a new file; returns whether all of it was
/// copied. The copy needs no log, and no log of the original belongs to it.
pub(super) fn copy(
    source: &SqliteConnection,
    target: &Path,
    progress: &mut PagesCopied<'_>,
) -> Result<bool, StoreError> {
    if target.exists() {
        let text = format!("{} exists already", target.display());
        return Err(StoreError::Unavailable(text));
    }
    make_private(target)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut copy = Connection::open_with_flags(target, flags).map_err(store_error)?;
    // The caller flushes the file, and removes it after a failure.
    copy.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        .map_err(store_error)?;
    let backup = Backup::new(&source.connection, &mut copy).map_err(store_error)?;
    loop {
        let step = backup.step(PAGES_PER_STEP).map_err(store_error)?;
        let pages = |count: i32| u64::try_from(count).unwrap_or_default();
        let (left, all) = (backup.progress().remaining, backup.progress().pagecount);
        if !progress(pages(all - left), pages(all)) {
            return Ok(false);
        }
        match step {
            StepResult::Done => break,
            StepResult::More => {}
            _ => {
                let text = format!("{} is locked", target.display());
                return Err(StoreError::Unavailable(text));
            }
        }
    }
    drop(backup);
    seal(copy)?;
    Ok(true)
}

/// Makes the file of a closed database a backup, as [`copy`] does.
pub(crate) fn seal_file(path: &Path) -> Result<(), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    seal(Connection::open_with_flags(path, flags).map_err(store_error)?)?;
    let lock = Files::of(path).lock;
    match std::fs::remove_file(&lock) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(cannot(&lock, "be removed", &error))
        }
        _ => Ok(()),
    }
}

/// Ends the WAL mode, which the header asks for, so that a reader makes no files next to the backup; and
/// gives the file a link of its own, so that no log of the original belongs to it.
fn seal(file: Connection) -> Result<(), StoreError> {
    file.execute_batch("PRAGMA journal_mode = DELETE")
        .map_err(store_error)?;
    let has_link = file.query_row(link::EXISTS, [], |row| row.get(0));
    if has_link.map_err(store_error)? {
        file.execute_batch(link::ADVANCE).map_err(store_error)?;
    }
    file.close().map_err(|(_, error)| store_error(error))
}

/// Checks that a database may be put at `path`: there is no file, no log, and no process that uses one.
///
/// # Errors
/// [`StoreError::Mismatch`] says what is there.
pub(crate) fn must_be_vacant(path: &Path) -> Result<(), StoreError> {
    let files = Files::of(path);
    let beside = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    for there in [
        &files.main,
        &files.log,
        &beside("-shm"),
        &beside("-journal"),
    ] {
        if there.symlink_metadata().is_ok() {
            return Err(StoreError::Mismatch(format!(
                "{} is there already, and nothing was changed: a backup is restored to an empty place. Stop the service, \
                 and move all files of the old database away (docs/backup.md)",
                there.display()
            )));
        }
    }
    if lock::is_held(&files)? {
        return Err(StoreError::Mismatch(format!(
            "a process still uses the database {}, whose file was removed or moved away. Stop it first",
            path.display()
        )));
    }
    Ok(())
}
