//! The embedded engine: SQLite in WAL mode.
//!
//! All code for SQLite is in this folder. It opens connections and runs statements; it depends on no table of
//! the schema.

mod backup;
mod budget;
pub(super) mod capabilities;
mod catalogue;
mod checkpointer;
mod connection;
mod disk;
mod errors;
mod files;
mod functions;
pub(super) mod inspection;
mod integrity;
mod leftover;
mod link;
mod lock;
mod log_limit;
mod migrate;
mod statement;
mod wal;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::connect::{Connect, Work};
use super::{DiskUsage, StoreError, StoreOptions};
pub(super) use backup::{must_be_vacant, seal_file as seal_backup};
use connection::SqliteConnection;
use files::{Files, OpenFiles};
use link::FileState;
use lock::Lock;
#[cfg(test)]
pub(super) use migrate::catalogue_of;
pub(super) use migrate::make_old;

/// One database file.
pub(super) struct Sqlite {
    path: PathBuf,
    options: StoreOptions,
    files: Arc<OpenFiles>,
    /// Held as long as there are connections.
    _lock: Option<Lock>,
}

impl Sqlite {
    /// Opens the file, or creates it if the options allow it, and migrates its schema; also returns the
    /// connection that writes. Blocks.
    pub(super) fn open(
        path: PathBuf,
        options: &StoreOptions,
    ) -> Result<(Self, SqliteConnection), StoreError> {
        let nothing = || Err(StoreError::NoDatabase(path.display().to_string()));
        let mut files = Files::of(&path);
        let found = files.main_id()?;
        if !options.make_tables && found.is_none() {
            return nothing();
        }
        let said = match found {
            Some(_) => link::file_state(&path)?,
            None => FileState::Empty,
        };
        // Declared before the writer, and so released after it where opening fails.
        //
        // Do not leave a lock file next to the file of another program or next to a missing file.
        let mut lock = match said {
            FileState::Foreign | FileState::Empty => None,
            _ => Some(Lock::take(&files, options.busy_timeout)?),
        };
        leftover::check(&files, lock.as_ref(), options.leftover_wal)?;
        if options.make_tables {
            make_private(&path)?;
        }
        let mut writer = connection::open_writer(&path, options, None)?;
        if found.is_some() && files.main_id()? != found {
            let text = format!("{} was replaced while it was opened", path.display());
            return Err(StoreError::Unavailable(text));
        }
        // Checked before any write, because the file may belong to another program.
        if migrate::check(&mut writer, &path)? && !options.make_tables {
            return nothing();
        }
        connection::prepare_writer(&writer, options)?;
        if lock.as_ref().is_some_and(Lock::is_exclusive) {
            or_go_on(link::checkpoint(&mut writer))?;
        }
        migrate::run(&mut writer, &path)?;
        // Resolved again: the target of a symbolic link may have been created.
        files = Files::of(&path);
        if lock.is_none() {
            lock = Some(Lock::take(&files, options.busy_timeout)?);
        }
        if let Some(lock) = lock.as_mut().filter(|lock| lock.is_exclusive()) {
            or_go_on(link::renew(&mut writer))?;
            lock.release(&files, options.busy_timeout)?;
        }
        let open = Arc::new(OpenFiles::at(&files)?);
        writer.write_to(&open)?;
        let sqlite = Sqlite {
            path,
            options: options.clone(),
            files: open,
            _lock: lock,
        };
        Ok((sqlite, writer))
    }
}

impl Connect for Sqlite {
    type Connection = SqliteConnection;

    const IN_PROCESS: bool = true;
    const MOST_SAVEPOINTS: usize = usize::MAX;

    fn reader(&self, work: Work) -> Result<SqliteConnection, StoreError> {
        let cache_kib = match work {
            Work::Point | Work::Short => self.options.reader_cache_kib,
            Work::Poll | Work::Control | Work::Long => self.options.long_reader_cache_kib,
        };
        connection::open_reader(&self.path, &self.options, &self.files, cache_kib)
    }

    fn writer(&self) -> Result<SqliteConnection, StoreError> {
        let mut writer = connection::open_writer(&self.path, &self.options, Some(&self.files))?;
        connection::prepare_writer(&writer, &self.options)?;
        writer.write_to(&self.files)?;
        Ok(writer)
    }

    fn check_files(&self) -> Result<(), StoreError> {
        self.files.check()
    }

    fn disk_usage(&self) -> Option<DiskUsage> {
        Some(disk::usage(&self.path))
    }

    fn check_space(&self) -> Result<(), StoreError> {
        self.files.check_space()
    }

    fn closed(&self) {
        self.files.put_back_log();
    }
}

/// Goes on after a write at the start that failed because another program has the write lock, the disk is
/// full, or the file is read-only: reads still work.
fn or_go_on(written: Result<(), StoreError>) -> Result<(), StoreError> {
    match written {
        Err(error @ (StoreError::Unavailable(_) | StoreError::NotWritable(..))) => {
            tracing::warn!(%error, "the database was opened without a commit of its own");
            Ok(())
        }
        written => written,
    }
}

/// Creates a missing file that only its owner can read: it will contain the private keys that sign tokens.
/// SQLite would make it readable for all, and creates `-wal` and `-shm` with the mode of the file. The mode
/// of an existing file does not change.
#[cfg(unix)]
fn make_private(path: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::OpenOptionsExt as _;
    // Never opens an existing file: closing a second handle would release the locks that this process has on
    // it.
    let made = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    match made {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(
            StoreError::Unavailable(format!("{} cannot be opened: {error}", path.display())),
        ),
        _ => Ok(()),
    }
}

/// Other systems have no file mode; the permissions of the folder apply.
#[cfg(not(unix))]
fn make_private(_path: &Path) -> Result<(), StoreError> {
    Ok(())
}

/// The file of a `sqlite:` URL: `sqlite:FILE`, also with the two slashes of `sqlite:///absolute/FILE`.
pub(super) fn file_of(url: &str) -> Result<PathBuf, StoreError> {
    let Some(rest) = url.strip_prefix("sqlite:") else {
        return Err(StoreError::Schema(format!(
            "found the database address `{url}`, expected sqlite:FILE or postgres://HOST/NAME"
        )));
    };
    let file = rest.strip_prefix("//").unwrap_or(rest);
    match file {
        "" => Err(StoreError::Schema(format!(
            "the database address `{url}` names no file, expected sqlite:FILE"
        ))),
        // Each connection would see its own empty database.
        ":memory:" => Err(StoreError::Schema(
            "a database in memory cannot be shared by connections, expected sqlite:FILE".into(),
        )),
        file => Ok(PathBuf::from(file)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::Store;
    use crate::connect::Connection as _;

    #[tokio::test]
    async fn the_lock_of_a_dropped_store_is_held_until_its_connections_are_closed() {
        for _ in 0..10 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("plant.db");
            let url = format!("sqlite:{}", path.display());
            let files = Files::of(&path);
            drop(Store::open(&url, &StoreOptions::default()).await.unwrap());
            let give_up = Instant::now() + Duration::from_secs(60);
            while lock::is_held(&files).unwrap() {
                assert!(Instant::now() < give_up, "the lock is held");
                std::thread::yield_now();
            }
            assert!(!files.log.exists(), "the last connection removes the log");
        }
    }

    /// The log is begun again by the first commit after all of it was copied, which truncates it.
    #[test]
    fn no_commit_truncates_a_long_log_by_more_than_two_steps() {
        const MIB: u64 = 1 << 20;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plant.db");
        let log = Files::of(&path).log;
        let size = || std::fs::metadata(&log).unwrap().len();
        let (_sqlite, mut writer) = Sqlite::open(path.clone(), &StoreOptions::default()).unwrap();
        let mut commit = |rows: u32| {
            writer.begin_write().unwrap();
            let sql = format!(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
                 INSERT INTO areas (name) SELECT hex(randomblob(4000)) FROM n"
            );
            writer.connection.execute_batch(&sql).unwrap();
            writer.commit().unwrap();
        };
        let reader = rusqlite::Connection::open(&path).unwrap();
        let held = "BEGIN; SELECT count(*) FROM areas";
        reader.execute_batch(held).unwrap();
        while size() < 112 * MIB {
            commit(100);
        }
        drop(reader);
        let give_up = Instant::now() + Duration::from_secs(60);
        let mut before = size();
        while before >= 80 * MIB {
            assert!(Instant::now() < give_up, "{before}");
            commit(20);
            let after = size();
            assert!(before.saturating_sub(after) <= 16 * MIB, "{before} {after}");
            before = after;
        }
    }

    #[test]
    fn an_address_names_a_file() {
        for (url, file) in [
            ("sqlite:a.db", "a.db"),
            ("sqlite:/x/a.db", "/x/a.db"),
            ("sqlite:///x/a.db", "/x/a.db"),
        ] {
            assert_eq!(file_of(url).expect("a file"), PathBuf::from(file), "{url}");
        }
        for url in [
            "postgres://h/d",
            "a.db",
            "sqlite:",
            "sqlite://",
            "sqlite::memory:",
        ] {
            assert!(matches!(file_of(url), Err(StoreError::Schema(_))), "{url}");
        }
    }
}
