//! The lock file of a database, `FILE-lock`: which processes have the database open, and the identities of
//! its files.
//!
//! Every process holds a shared lock for as long as it has the database open. A process with the exclusive
//! lock knows that no other process has it open, so an existing write-ahead log (WAL) is a leftover. The text
//! records device, inode and creation time of the database file and its WAL. The lock file may be deleted
//! when no process runs; the check of a leftover WAL then has less information.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::time::{Duration, Instant};

use super::files::{FileId, Files, cannot};
use crate::StoreError;

/// The pause before another attempt to lock.
const PAUSE: Duration = Duration::from_millis(10);
/// The first line.
const HEADING: &str = "Obeya keeps this file beside a database while it is open. Version 1.";

/// The lock of one opened database; dropping it unlocks the file.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    /// Whether no other process has the database open.
    is_exclusive: bool,
    /// The files recorded by the last process with the exclusive lock.
    recorded: Option<RecordedFiles>,
}

/// The identities of a database's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordedFiles {
    pub(super) main: FileId,
    pub(super) log: FileId,
}

impl Lock {
    /// Takes the exclusive lock, or else the shared one, waiting at most `wait` for it.
    pub(super) fn take(files: &Files, wait: Duration) -> Result<Lock, StoreError> {
        let cannot = |error| cannot(&files.lock, "be locked", &error);
        let mut file = open(files)?;
        let is_exclusive = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => {
                share(&file, files, wait)?;
                false
            }
            // Without file locks, other processes cannot be detected; SQLite's own locks still apply.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => true,
            Err(TryLockError::Error(error)) => return Err(cannot(error)),
        };
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(cannot)?;
        let recorded = RecordedFiles::of(&String::from_utf8_lossy(&text));
        Ok(Lock {
            file,
            is_exclusive,
            recorded,
        })
    }

    /// Whether no other process has the database open.
    pub(super) fn is_exclusive(&self) -> bool {
        self.is_exclusive
    }

    /// The recorded files.
    pub(super) fn recorded(&self) -> Option<RecordedFiles> {
        self.recorded
    }

    /// Records the files, and lets others open the database.
    pub(super) fn release(&mut self, files: &Files, wait: Duration) -> Result<(), StoreError> {
        if !self.is_exclusive {
            return Ok(());
        }
        let recorded = |path| FileId::of(path).map_err(|error| cannot(path, "be found", &error));
        let recorded = RecordedFiles {
            main: recorded(&files.main)?,
            // A backup has no WAL, and a reader makes none.
            log: match FileId::of(&files.log) {
                Err(error) if error.kind() == ErrorKind::NotFound => FileId::NONE,
                _ => recorded(&files.log)?,
            },
        };
        self.write(recorded)
            .map_err(|error| cannot(&files.lock, "be written", &error))?;
        self.is_exclusive = false;
        share(&self.file, files, wait)
    }

    fn write(&mut self, recorded: RecordedFiles) -> std::io::Result<()> {
        // A text that is truncated by a crash is ignored.
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(recorded.text().as_bytes())
    }
}

impl RecordedFiles {
    fn text(self) -> String {
        let id = |id: FileId| format!("{} {} {}", id.device, id.inode, id.made);
        format!(
            "{HEADING}\nfile {}\nlog {}\nend\n",
            id(self.main),
            id(self.log)
        )
    }

    fn of(text: &str) -> Option<RecordedFiles> {
        let mut lines = text.lines();
        let mut line = |name: &str| lines.next()?.strip_prefix(name);
        line(HEADING)?;
        let id = |text: &str| {
            let mut numbers = text.split(' ').map(str::parse);
            let mut next = || numbers.next()?.ok();
            Some(FileId {
                device: next()?,
                inode: next()?,
                made: next()?,
            })
        };
        let main = id(line("file ")?)?;
        let log = id(line("log ")?)?;
        line("end")?;
        Some(RecordedFiles { main, log })
    }
}

/// Whether a process has the database open. Without a lock file, or where files cannot be locked, none is
/// known of.
pub(super) fn is_held(files: &Files) -> Result<bool, StoreError> {
    let file = match File::open(&files.lock) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        opened => opened.map_err(|error| cannot(&files.lock, "be opened", &error))?,
    };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => {
            Err(cannot(&files.lock, "be locked", &error))
        }
        _ => Ok(false),
    }
}

/// Takes the shared lock. Another process has the exclusive one while it opens the database.
fn share(file: &File, files: &Files, wait: Duration) -> Result<(), StoreError> {
    let give_up = Instant::now() + wait;
    loop {
        match file.try_lock_shared() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                return Ok(());
            }
            Err(TryLockError::Error(error)) => {
                return Err(cannot(&files.lock, "be locked", &error));
            }
            Err(TryLockError::WouldBlock) if Instant::now() < give_up => {
                std::thread::sleep(PAUSE.mul_f64(fastrand::f64()));
            }
            Err(TryLockError::WouldBlock) => {
                let text = format!("another process is still opening {}", files.main.display());
                return Err(StoreError::Unavailable(text));
            }
        }
    }
}

/// Opens the lock file, or creates it with the permissions of the database.
fn open(files: &Files) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    let cannot = |error| cannot(&files.lock, "be opened", &error);
    match options.open(&files.lock) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        opened => return opened.map_err(cannot),
    }
    let like_main = std::fs::metadata(&files.main).map_err(cannot)?;
    let file = options
        .create(true)
        .truncate(false)
        .open(&files.lock)
        .map_err(cannot)?;
    file.set_permissions(like_main.permissions())
        .map_err(cannot)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        // Only root can change the owner, and only root needs to. SQLite does the same with its files.
        let _ = fchown(&file, Some(like_main.uid()), Some(like_main.gid()));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_as_it_was_written_or_not_at_all() {
        let id = |inode, made| FileId {
            device: 2049,
            inode,
            made,
        };
        let recorded = RecordedFiles {
            main: id(131_077, 1_763_881_200_123_456_789),
            log: id(u64::MAX, 0),
        };
        let text = recorded.text();
        assert_eq!(RecordedFiles::of(&text), Some(recorded));
        for end in 0..text.len() - 1 {
            assert_eq!(RecordedFiles::of(&text[..end]), None, "{:?}", &text[..end]);
        }
    }
}
