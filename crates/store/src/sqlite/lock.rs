//! The lock file beside a database, `FILE-lock`: who has the database open, and which files it was.
//!
//! Every process of this program holds a shared lock for as long as it has the database open. Who gets the
//! exclusive one knows that nobody else has, so that a log beside the file is one that was left behind. The
//! text notes device, inode and time of making of the file and its log. The file may be deleted when no
//! process runs: then only less is known.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::time::{Duration, Instant};

use super::files::{FileId, Files, cannot};
use crate::StoreError;

/// The pause before a lock is asked for again.
const PAUSE: Duration = Duration::from_millis(10);
/// Begins the text.
const HEADING: &str = "Obeya keeps this file beside a database while it is open. Version 1.";

/// The lock of one opened database; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    /// Whether no other process has the database open.
    is_exclusive: bool,
    /// The files it was when a process was last alone with it.
    recorded: Option<RecordedFiles>,
}

/// Which files a database was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecordedFiles {
    pub(super) main: FileId,
    pub(super) log: FileId,
}

impl Lock {
    /// Takes the exclusive lock, or else the shared one; waits at most so long for one that is about to be
    /// given back.
    pub(super) fn take(files: &Files, wait: Duration) -> Result<Lock, StoreError> {
        let cannot = |error| cannot(&files.lock, "be locked", &error);
        let mut file = open(files)?;
        let is_exclusive = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => {
                share(&file, files, wait)?;
                false
            }
            // Nothing is known of others then, and SQLite itself locks what matters.
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

    /// The files the database was when this was last noted.
    pub(super) fn recorded(&self) -> Option<RecordedFiles> {
        self.recorded
    }

    /// Notes which files the database is, and lets others open it.
    pub(super) fn release(&mut self, files: &Files, wait: Duration) -> Result<(), StoreError> {
        if !self.is_exclusive {
            return Ok(());
        }
        let recorded = |path| FileId::of(path).map_err(|error| cannot(path, "be found", &error));
        let recorded = RecordedFiles {
            main: recorded(&files.main)?,
            log: recorded(&files.log)?,
        };
        self.write(recorded)
            .map_err(|error| cannot(&files.lock, "be written", &error))?;
        self.is_exclusive = false;
        share(&self.file, files, wait)
    }

    fn write(&mut self, recorded: RecordedFiles) -> std::io::Result<()> {
        // A text that is cut off by a crash notes nothing.
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

/// Takes the shared lock. Somebody may have the exclusive one, for as long as it takes to open the database.
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

/// Opens the lock file, making it if it is missing: whoever may use the database may use it too.
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
        // Only the superuser can, and only there it matters: SQLite does the same with its files.
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
