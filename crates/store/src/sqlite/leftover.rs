//! Checks whether a leftover write-ahead log (WAL) belongs to the database file.
//!
//! SQLite applies any WAL to any file, so this is checked before a database is opened:
//!
//! | what happened | what is found | what is done |
//! |---|---|---|
//! | the service stopped normally, or never ran | no WAL, or an empty one | opened, whatever the file is |
//! | it was killed | the WAL, and the file it was written for | opened; SQLite recovers |
//! | an older version was killed | a WAL without links | opened |
//! | all files were copied or moved elsewhere | other inodes of both, links that fit | opened |
//! | killed, then `cp` of a backup over the file | the file is at a commit where the WAL does not begin | refused |
//! | killed, then `mv` of a backup to the file | the same, or another inode of the file next to that WAL | refused |
//! | the WAL was removed, and the file replaced or not, while a service ran, which then stopped | the WAL as the service restored it | as after a kill |
//! | killed, then the file was removed | a WAL without a file, which SQLite would delete | refused |
//! | a service runs, and the file was replaced | another inode of the file than the service's | refused |
//! | the lock file was deleted | the recorded inodes are unknown | decided by the links |
//!
//! Two kinds of copies are accepted. First, a copy that equals the file byte for byte, to which the WAL also
//! belongs. Second, while no process runs, a copy with the same pages that was made in the middle of a WAL of
//! [`CHECKPOINT_FRAMES`](super::checkpointer::CHECKPOINT_FRAMES) frames or more and restored by `cp`: applying
//! the WAL brings it completely to the WAL's last commit.

use std::fmt::Display;

use super::files::{FileId, Files, cannot, free_name};
use super::link::{self, FileState};
use super::lock::Lock;
use super::wal::Wal;
use crate::{LeftoverWal, StoreError};

/// Checks that SQLite may open the files. `lock` is the lock of the database, if it has one. Blocks.
///
/// # Errors
/// [`StoreError::Mismatch`] when the WAL and the file do not belong together.
pub(super) fn check(
    files: &Files,
    lock: Option<&Lock>,
    choice: LeftoverWal,
) -> Result<(), StoreError> {
    let main = files.main_id()?;
    if let Some(lock) = lock.filter(|lock| !lock.is_exclusive()) {
        return in_use(files, lock, main, choice);
    }
    let log = Wal::read(&files.log).map_err(|error| cannot(&files.log, "be read", &error))?;
    if log.is_empty() {
        return Ok(());
    }
    let Some(main) = main else {
        return match choice {
            LeftoverWal::Discard => set_aside(files),
            LeftoverWal::Check | LeftoverWal::Apply => Err(without_file(files)),
        };
    };
    match choice {
        LeftoverWal::Discard => set_aside(files),
        LeftoverWal::Apply => Ok(()),
        LeftoverWal::Check => belongs(files, lock, main, &log),
    }
}

/// The database is open in another process, so the WAL is in use. The file must be the same.
fn in_use(
    files: &Files,
    lock: &Lock,
    main: Option<FileId>,
    choice: LeftoverWal,
) -> Result<(), StoreError> {
    let name = files.main.display();
    let has_log = std::fs::metadata(&files.log).is_ok_and(|log| log.len() > 0);
    if !has_log {
        return Ok(());
    }
    if lock
        .recorded()
        .is_some_and(|recorded| main != Some(recorded.main))
    {
        return Err(StoreError::Mismatch(format!(
            "{name} was replaced or removed while another process uses the database, and its log {} is still \
             that of the former file. Stop that process first",
            files.log.display()
        )));
    }
    if choice == LeftoverWal::Discard {
        return Err(StoreError::Mismatch(format!(
            "another process uses {name}, so its log cannot be set aside. Stop that process first"
        )));
    }
    Ok(())
}

fn belongs(files: &Files, lock: Option<&Lock>, main: FileId, log: &Wal) -> Result<(), StoreError> {
    if let Some(recorded) = lock.and_then(Lock::recorded) {
        let log_id = FileId::of(&files.log);
        let log_id = log_id.map_err(|error| cannot(&files.log, "be found", &error))?;
        // Both inodes differ if all files were copied, or moved to another file system.
        if main != recorded.main && log_id == recorded.log {
            let expected = format!("{}, beside which the log was written", recorded.main);
            return Err(mismatch(files, main, expected));
        }
    }
    let state = link::file_state(&files.main)?;
    if link::fits(state, log) {
        return Ok(());
    }
    let expected = match log.links.first() {
        Some((_, first)) => format!("commit {}, where the log begins", Hex(first.parent)),
        None => "a database whose log has no links".to_owned(),
    };
    Err(mismatch(files, state, expected))
}

fn mismatch(files: &Files, found: impl Display, expected: impl Display) -> StoreError {
    let (main, log) = (files.main.display(), files.log.display());
    StoreError::Mismatch(format!(
        "{main} is not the file that the log {log} was written for: found {found}, expected {expected}. \
         The service did not stop in order, and the file was replaced afterwards, as by a backup. Nothing was changed. \
         `obeya serve --discard-wal` serves the file as it is and sets the log aside; \
         `obeya serve --keep-wal` applies the log, which corrupts any other database file (docs/backup.md)"
    ))
}

/// The error for a WAL without a file: SQLite would delete the WAL.
fn without_file(files: &Files) -> StoreError {
    let (main, log) = (files.main.display(), files.log.display());
    StoreError::Mismatch(format!(
        "{main} is missing, but its log {log} is there and holds changes. Nothing was changed. Put the file back, \
         or: `obeya serve --create --discard-wal` sets the log aside and makes a new database (docs/backup.md)"
    ))
}

/// Renames the WAL, so that SQLite finds none.
fn set_aside(files: &Files) -> Result<(), StoreError> {
    let aside = free_name(&files.log, "discarded");
    std::fs::rename(&files.log, &aside)
        .map_err(|error| cannot(&files.log, "be set aside", &error))?;
    tracing::warn!(log = %aside.display(), "the log was set aside; what it holds is not served");
    Ok(())
}

/// An id in hexadecimal, for messages.
struct Hex(link::Id);

impl Display for Hex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}

impl Display for FileState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FileState::Foreign => f.write_str("a file that is no database of this program"),
            FileState::Empty => f.write_str("an empty database"),
            FileState::Unlinked => f.write_str("a database of an older version"),
            FileState::Commit(id, _) => write!(f, "commit {}", Hex(*id)),
            FileState::Unreadable => f.write_str("a database that cannot be read without its log"),
        }
    }
}
