//! The files of a database and their identities: a path may refer to another file while a connection still
//! uses the old one.

use std::fmt::{self, Display};
use std::fs::{File, Metadata};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(unix)]
use std::time::UNIX_EPOCH;

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use rusqlite::OpenFlags;

use crate::{StoreError, WriteFault};

/// Space that must be left after a full disk before writes count as working again: more than most writes
/// take. A small commit fits into what the write before it left.
const SPACE_BYTES: usize = 4 << 20;

/// The identity of a file, independent of its name. Unix only; on other systems all files are equal, because
/// an open file cannot be replaced there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileId {
    pub(super) device: u64,
    pub(super) inode: u64,
    /// The creation time in ns since 1970, because inode numbers are reused; 0 if the file system does not
    /// record it.
    pub(super) made: u64,
}

impl FileId {
    /// The identity of no file.
    pub(super) const NONE: FileId = FileId {
        device: 0,
        inode: 0,
        made: 0,
    };

    /// The identity of the file at `path`.
    pub(super) fn of(path: &Path) -> io::Result<FileId> {
        let metadata = std::fs::metadata(path)?;
        Ok(Self::in_metadata(&metadata))
    }

    #[cfg(unix)]
    fn in_metadata(metadata: &Metadata) -> FileId {
        use std::os::unix::fs::MetadataExt as _;
        let made = metadata.created().ok();
        let since = made.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let made = since.and_then(|since| u64::try_from(since.as_nanos()).ok());
        FileId {
            device: metadata.dev(),
            inode: metadata.ino(),
            made: made.unwrap_or(0),
        }
    }

    #[cfg(not(unix))]
    fn in_metadata(_metadata: &Metadata) -> FileId {
        FileId::NONE
    }
}

impl Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "inode {} of device {}", self.inode, self.device)
    }
}

/// The paths of a database: the file, the WAL and the lock file.
#[derive(Debug)]
pub(super) struct Files {
    /// The database file, as in the address.
    pub(super) main: PathBuf,
    /// The write-ahead log. SQLite puts it next to the target of a symbolic link.
    pub(super) log: PathBuf,
    /// The lock file of this program ([`super::lock`]).
    pub(super) lock: PathBuf,
}

impl Files {
    pub(super) fn of(main: &Path) -> Files {
        // A path without a file cannot be resolved.
        let real = main.canonicalize().unwrap_or_else(|_| main.to_owned());
        let beside = |suffix: &str| {
            let mut path = real.clone().into_os_string();
            path.push(suffix);
            PathBuf::from(path)
        };
        Files {
            main: main.to_owned(),
            log: beside("-wal"),
            lock: beside("-lock"),
        }
    }

    /// The identity of the file at `main`; `None` if there is none, or an empty one, which SQLite treats as
    /// new.
    pub(super) fn main_id(&self) -> Result<Option<FileId>, StoreError> {
        match std::fs::metadata(&self.main) {
            Ok(metadata) if metadata.len() == 0 => Ok(None),
            Ok(metadata) => Ok(Some(FileId::in_metadata(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(cannot(&self.main, "be opened", &error)),
        }
    }
}

/// The files that connections have open.
#[derive(Debug)]
pub(super) struct OpenFiles {
    main: (PathBuf, FileId),
    log: (PathBuf, FileId),
    /// A handle to read the WAL after its removal. SQLite has no locks on the WAL that closing the handle
    /// would release.
    open_log: File,
    /// A connection found them changed when it closed.
    is_changed: AtomicBool,
}

impl OpenFiles {
    /// The files at the paths now.
    pub(super) fn at(files: &Files) -> Result<OpenFiles, StoreError> {
        let open = |path: &Path| match FileId::of(path) {
            Ok(id) => Ok((path.to_owned(), id)),
            Err(error) => Err(cannot(path, "be found", &error)),
        };
        Ok(OpenFiles {
            main: open(&files.main)?,
            log: open(&files.log)?,
            open_log: File::open(&files.log)
                .map_err(|error| cannot(&files.log, "be opened", &error))?,
            is_changed: AtomicBool::new(false),
        })
    }

    /// The path of the database file.
    pub(super) fn main_path(&self) -> &Path {
        &self.main.0
    }

    /// Whether a connection that closes may write the WAL into the database file, as the last one does.
    pub(super) fn check_at_close(&self) -> bool {
        let is_unchanged = self.check().is_ok();
        if !is_unchanged {
            self.is_changed.store(true, Ordering::Relaxed);
        }
        is_unchanged
    }

    /// Checks that the paths still refer to these files: writes to an unlinked file are lost, and a new
    /// connection would open another database.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when they do not; the message says what to do.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let main = self.main.0.display();
        let way_on =
            "Stop the service, check which file is there, and start it again (docs/backup.md)";
        let text = match (path_state(&self.main), path_state(&self.log)) {
            (PathState::There, PathState::There) => return Ok(()),
            (PathState::Gone, _) => format!(
                "the database file {main} was removed or renamed while it is in use, so nothing is written. \
                 Move it back to go on, or: {way_on}"
            ),
            (PathState::Replaced, _) => format!(
                "the database file {main} was replaced by another one while it is in use, so nothing is written. \
                 {way_on}"
            ),
            (PathState::There, _) => format!(
                "the log {} of the database was removed or replaced while it is in use, so nothing is written. \
                 Stop the service: it restores its log, and the next start checks whether the log belongs to {main}",
                self.log.0.display()
            ),
        };
        Err(StoreError::Unavailable(text))
    }

    /// Checks that the disk has some space again, by a file next to the WAL.
    ///
    /// # Errors
    /// [`StoreError::NotWritable`] when it has not.
    pub(super) fn check_space(&self) -> Result<(), StoreError> {
        let mut path = self.log.0.clone().into_os_string();
        path.push("-space");
        let path = PathBuf::from(path);
        // A killed process may have left it. Removed first and then created, so that a link is not followed.
        let _ = std::fs::remove_file(&path);
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let filled = options.open(&path).and_then(|mut file| {
            file.write_all(&vec![0; SPACE_BYTES])?;
            file.sync_all()
        });
        // It may not exist.
        let _ = std::fs::remove_file(&path);
        filled.map_err(|error| {
            let text = format!("{} cannot be written: {error}", path.display());
            StoreError::NotWritable(WriteFault::DiskFull, text)
        })
    }

    /// Restores a WAL that another program removed at its path, or next to it if another file has that path,
    /// so that the next start can check whether it belongs to the database file. Call this when no connection
    /// writes.
    pub(super) fn put_back_log(&self) {
        let target = match path_state(&self.log) {
            PathState::There => return,
            // The last connection wrote it into the database file and removed it.
            PathState::Gone if !self.is_changed.load(Ordering::Relaxed) => return,
            PathState::Gone => self.log.0.clone(),
            PathState::Replaced => free_name(&self.log.0, "left"),
        };
        match self.copy_log(&target) {
            Ok(false) => {}
            Ok(true) => {
                tracing::warn!(log = %target.display(), "restored the write-ahead log, which was removed");
            }
            Err(error) => {
                tracing::error!(log = %target.display(), %error, "cannot restore the removed write-ahead log");
            }
        }
    }

    /// Copies the WAL; returns whether there was anything to copy. The copy is renamed to `target` when it is
    /// complete.
    fn copy_log(&self, target: &Path) -> io::Result<bool> {
        let metadata = self.open_log.metadata()?;
        if metadata.len() == 0 || has_a_name(&metadata) {
            return Ok(false);
        }
        let part = free_name(target, "part");
        let mut log = &self.open_log;
        log.rewind()?;
        let mut copy = File::create_new(&part)?;
        copy.set_permissions(metadata.permissions())?;
        io::copy(&mut log, &mut copy)?;
        copy.sync_all()?;
        std::fs::rename(&part, target)?;
        Ok(true)
    }
}

/// Whether an open file still has a directory entry, even if it was moved.
#[cfg(unix)]
fn has_a_name(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.nlink() > 0
}

#[cfg(not(unix))]
fn has_a_name(_metadata: &Metadata) -> bool {
    true
}

/// The path with `-suffix-N` appended, for the first N without a file.
pub(super) fn free_name(path: &Path, suffix: &str) -> PathBuf {
    let numbered = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!("-{suffix}-{number}"));
        PathBuf::from(name)
    };
    let free = (1..).map(numbered).find(|path| !path.exists());
    free.unwrap_or_else(|| numbered(0))
}

enum PathState {
    There,
    Gone,
    Replaced,
}

fn path_state((path, id): &(PathBuf, FileId)) -> PathState {
    match FileId::of(path) {
        Ok(found) if found == *id => PathState::There,
        Ok(_) => PathState::Replaced,
        Err(error) if error.kind() == io::ErrorKind::NotFound => PathState::Gone,
        // Unknown. The connections continue and report their own errors.
        Err(_) => PathState::There,
    }
}

/// The flags for the address that [`immutable`] returns.
pub(super) const IMMUTABLE: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY
    .union(OpenFlags::SQLITE_OPEN_URI)
    .union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// The address of a file as SQLite reads it alone: without locks, without its WAL, and without a trace.
pub(super) fn immutable(file: &Path) -> String {
    let name = percent_encode(file.as_os_str().as_encoded_bytes(), NON_ALPHANUMERIC);
    format!("file:{name}?immutable=1")
}

/// The error for a failed operation on a file.
pub(super) fn cannot(path: &Path, what: &str, error: &io::Error) -> StoreError {
    StoreError::Unavailable(format!("{} cannot {what}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_check_of_the_space_left_is_removed_and_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["plant.db", "plant.db-wal", "plant.db-wal-space"] {
            std::fs::write(at(name), "x").unwrap();
        }
        let open = OpenFiles::at(&Files::of(&at("plant.db"))).unwrap();
        open.check_space().unwrap();
        #[cfg(unix)]
        {
            std::fs::write(at("other"), "x").unwrap();
            std::os::unix::fs::symlink(at("other"), at("plant.db-wal-space")).unwrap();
            open.check_space().unwrap();
            assert_eq!(std::fs::read(at("other")).unwrap(), b"x");
            std::fs::remove_file(at("other")).unwrap();
        }
        let left = std::fs::read_dir(folder.path()).unwrap();
        let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["plant.db", "plant.db-wal"]);
    }
}
