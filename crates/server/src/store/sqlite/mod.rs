//! The embedded engine: SQLite in WAL mode, one writer with group commit, many readers.
//!
//! Everything that knows SQLite is in this folder. It runs units of work; it must not know a table.

mod budget;
mod connection;
mod errors;
mod functions;
mod migrate;
mod pool;
mod statement;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::{Session, StoreError, StoreOptions};
use pool::Pool;
use writer::Writer;

/// One database file.
pub(super) struct Sqlite {
    readers: Arc<Pool>,
    writer: Writer,
}

impl Sqlite {
    /// Opens the file, making it if it is missing, and brings its schema up to date. Blocks.
    pub(super) fn open(path: &Path, options: &StoreOptions) -> Result<Self, StoreError> {
        make_private(path)?;
        let mut connection = connection::open_writer(path, options)?;
        // Before anything is written: the file may be somebody else's.
        migrate::check(&connection, path)?;
        connection::prepare_writer(&connection, options)?;
        migrate::run(&mut connection, path)?;
        let writer = Writer::start(connection, options)?;
        let readers = Arc::new(Pool::new(path.to_owned(), options.clone()));
        Ok(Sqlite { readers, writer })
    }

    /// Runs the work inline on a reader. Each statement sees its own snapshot.
    pub(super) async fn point<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&mut dyn Session) -> Result<T, E>,
        E: From<StoreError>,
    {
        let mut reader = self.readers.lease().await?;
        work(&mut reader.session())
    }

    /// Runs the work inline, inside one snapshot; if it turns out to be long, ends it and runs it again as [`Self::read`] does.
    pub(super) async fn brief<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: Fn(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let mut reader = self.readers.lease().await?;
        reader.begin()?;
        reader.be_brief();
        let outcome = work(&mut reader.session());
        let was_long = reader.take_time();
        reader.end();
        drop(reader);
        if was_long && outcome.is_err() {
            return self.read(work).await;
        }
        outcome
    }

    /// Runs the work on the blocking pool, inside one snapshot.
    pub(super) async fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let mut reader = self.readers.lease_long().await?;
        let ran = tokio::task::spawn_blocking(move || {
            reader.begin()?;
            let outcome = work(&mut reader.session());
            reader.end();
            outcome
        });
        match ran.await {
            Ok(outcome) => outcome,
            Err(failure) => Err(StoreError::Engine(Box::new(failure)).into()),
        }
    }

    /// Runs the work on the blocking pool, inside one snapshot, if a reader is free now.
    pub(super) fn assist<F>(&self, work: F)
    where
        F: FnOnce(&mut dyn Session) + Send + 'static,
    {
        let Some(mut reader) = self.readers.lease_idle() else {
            return;
        };
        // Nobody waits for it, and a panic in it has been told by the time it is dropped.
        drop(tokio::task::spawn_blocking(move || {
            if reader.begin().is_ok() {
                work(&mut reader.session());
                reader.end();
            }
        }));
    }

    /// How long one statement may run.
    pub(super) fn statement_budget(&self) -> Duration {
        self.readers.options().statement_budget
    }

    /// Runs the work on the writer thread, inside a savepoint of a transaction that other jobs may share, and answers after its commit.
    pub(super) async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.writer.run(work).await
    }

    /// Jobs waiting for the writer.
    pub(super) fn queued(&self) -> usize {
        self.writer.queued()
    }

    /// Finishes the jobs already sent, then closes every connection that is not in use.
    pub(super) async fn close(&self) {
        self.readers.close();
        self.writer.stop().await;
    }
}

/// Makes a missing file readable by its owner alone: it will hold the private keys that sign tokens. SQLite would make it readable by all, and gives its
/// companions (`-wal`, `-shm`) the mode of the file itself. A file that exists keeps the mode somebody gave it.
#[cfg(unix)]
fn make_private(path: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::OpenOptionsExt as _;
    // Never a file that exists: closing a second handle of it would drop the locks this process has on it.
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

/// Other systems have no mode; the folder decides who may read.
#[cfg(not(unix))]
fn make_private(_path: &Path) -> Result<(), StoreError> {
    Ok(())
}

/// The file a `sqlite:` URL names: `sqlite:FILE`, also with the two slashes of `sqlite:///absolute/FILE`.
pub(super) fn file_of(url: &str) -> Result<PathBuf, StoreError> {
    let Some(rest) = url.strip_prefix("sqlite:") else {
        return Err(StoreError::Schema(format!(
            "found the database address `{url}`, expected sqlite:FILE"
        )));
    };
    let file = rest.strip_prefix("//").unwrap_or(rest);
    match file {
        "" => Err(StoreError::Schema(format!(
            "the database address `{url}` names no file, expected sqlite:FILE"
        ))),
        // Each connection would see an empty database of its own.
        ":memory:" => Err(StoreError::Schema(
            "a database in memory cannot be shared by connections, expected sqlite:FILE".into(),
        )),
        file => Ok(PathBuf::from(file)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
