//! A connection: how it is opened, what it runs, and the control of its transactions.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::budget::{Budget, STEPS_PER_LOOK};
use super::errors::store_error;
use super::files::OpenFiles;
use super::functions;
use super::link;
use super::statement::Statements;
use crate::connect;
use crate::engine::Capabilities;
use crate::{Dialect, EachRow, Session, StoreError, StoreOptions, Value, View};

/// Connections opened to read so far in this process.
static READERS: AtomicU64 = AtomicU64::new(0);
/// Bytes of a page in a new file. Twice the default: a page of values is then read with half the system
/// calls.
const PAGE_BYTES: u32 = 8192;
/// Frames in the log from which a commit is followed by a checkpoint. SQLite's own default, named because
/// [`super::link::fits`] reckons with it.
pub(super) const CHECKPOINT_FRAMES: u32 = 1000;
/// Size to which a checkpoint truncates the write-ahead log, in bytes.
const LOG_BYTES: u32 = 64 << 20;
/// The longest pause before a retry while other processes set the file up.
const PAUSE: Duration = Duration::from_millis(10);

/// A connection and the budget of the statement it is running.
pub struct Database {
    /// Before the connection, and so dropped before it.
    statements: Statements,
    pub(super) connection: Connection,
    budget: Arc<Budget>,
    /// The connection's number, if it only reads.
    reader: Option<u64>,
    /// The files it is open on, once they are known.
    pub(super) files: Option<Arc<OpenFiles>>,
    /// Rows changed before the transaction under way.
    changed_before: u64,
}

impl Drop for Database {
    /// The last connection to close writes the log into the file. That would corrupt a file that replaced the
    /// one of the log.
    fn drop(&mut self) {
        if let Some(files) = &self.files
            && files.check().is_err()
        {
            let option = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
            if let Err(error) = self.connection.set_db_config(option, true) {
                tracing::error!(%error, "the log may be written into a file that it does not belong to");
            }
        }
    }
}

impl Database {
    /// Runs a statement of the engine's own, such as BEGIN.
    pub(super) fn control(&self, sql: &str) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(sql).map_err(store_error)?;
        statement.raw_execute().map(drop).map_err(store_error)
    }

    /// The same for a statement of every read, which is cached.
    fn run(&mut self, sql: &str) -> Result<(), StoreError> {
        self.query(sql, &[], &mut |_| Ok(ControlFlow::Continue(())))
    }

    /// Removes the time budget, for migrations.
    pub(super) fn without_budget(&self) {
        self.budget.stop();
    }
}

/// Opens the connection that writes: the first one, which creates a missing file if the options allow it, or
/// another one to the files that are open already. Nothing is written before [`prepare_writer`].
pub(super) fn open_writer(
    path: &Path,
    options: &StoreOptions,
    files: Option<&Arc<OpenFiles>>,
) -> Result<Database, StoreError> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    flags.set(
        OpenFlags::SQLITE_OPEN_CREATE,
        files.is_none() && options.make_tables,
    );
    let mut database = open(path, flags, options, files)?;
    // It runs the queries of readers, and changes in addition.
    database.statements = Statements::new(options.cached_statements.saturating_mul(2));
    Ok(database)
}

/// Sets the writer up, and the file if it is new.
pub(super) fn prepare_writer(
    database: &Database,
    options: &StoreOptions,
) -> Result<(), StoreError> {
    let setup = format!(
        "PRAGMA page_size = {PAGE_BYTES};
         PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA foreign_keys = ON;
         PRAGMA wal_autocheckpoint = {CHECKPOINT_FRAMES};
         PRAGMA journal_size_limit = {LOG_BYTES};
         PRAGMA cache_size = -{};",
        options.writer_cache_kib
    );
    // Processes that open a new file at once conflict when it is switched to WAL, and SQLite fails at once,
    // whatever its timeout is.
    let give_up = Instant::now() + options.busy_timeout;
    loop {
        match database.connection.execute_batch(&setup) {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < give_up =>
            {
                std::thread::sleep(PAUSE.mul_f64(fastrand::f64()));
            }
            done => return done.map_err(store_error),
        }
    }
}

/// Opens a connection that can only read, with so many KiB of page cache, to the files that are open already.
pub(super) fn open_reader(
    path: &Path,
    options: &StoreOptions,
    files: &Arc<OpenFiles>,
    cache_kib: u32,
) -> Result<Database, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut database = open(path, flags, options, Some(files))?;
    database.reader = Some(READERS.fetch_add(1, Ordering::Relaxed));
    let setup = format!("PRAGMA query_only = ON; PRAGMA cache_size = -{cache_kib};");
    database
        .connection
        .execute_batch(&setup)
        .map_err(store_error)?;
    Ok(database)
}

fn open(
    path: &Path,
    flags: OpenFlags,
    options: &StoreOptions,
    files: Option<&Arc<OpenFiles>>,
) -> Result<Database, StoreError> {
    let mut connection =
        Connection::open_with_flags(path, flags).map_err(|error| match store_error(error) {
            StoreError::Unavailable(text) => {
                StoreError::Unavailable(format!("{} cannot be opened: {text}", path.display()))
            }
            other => other,
        })?;
    // Before the first statement, which would apply the log to whatever file is there now.
    if let Some(files) = files {
        files.check()?;
    }
    connection
        .busy_timeout(options.busy_timeout)
        .map_err(store_error)?;
    connection.set_prepared_statement_cache_capacity(options.cached_statements);
    // Otherwise SQLite plans a statement anew whenever a value in a range is bound, which throws away what
    // the cache of statements is for.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(store_error)?;
    let budget = Arc::new(Budget::new(options.statement_budget));
    functions::register(&connection, &budget)?;
    let watch = Arc::clone(&budget);
    connection
        .progress_handler(STEPS_PER_LOOK, Some(move || watch.is_spent()))
        .map_err(store_error)?;
    Ok(Database {
        statements: Statements::new(options.cached_statements),
        connection,
        budget,
        reader: None,
        files: files.cloned(),
        changed_before: 0,
    })
}

impl Session for Database {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn capabilities(&self) -> &'static dyn Capabilities {
        &super::capabilities::Sqlite
    }

    fn query(
        &mut self,
        sql: &str,
        binds: &[Value<'_>],
        each: &mut EachRow<'_>,
    ) -> Result<(), StoreError> {
        let statement = self.statements.get(&self.connection, sql)?;
        self.budget.start();
        statement.run(binds, each)
    }

    fn execute(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<u64, StoreError> {
        self.execute_deferred(sql, binds)?;
        Ok(self.connection.changes())
    }

    fn execute_deferred(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<(), StoreError> {
        self.query(sql, binds, &mut |_| Ok(ControlFlow::Continue(())))
    }

    fn append(
        &mut self,
        table: &str,
        columns: &[&str],
        values: &[Value<'_>],
    ) -> Result<(), StoreError> {
        let places: Vec<String> = (1..=columns.len()).map(|n| format!("?{n}")).collect();
        let sql = format!(
            "INSERT INTO {table} ({}) VALUES ({})",
            columns.join(", "),
            places.join(", ")
        );
        let statement = self.statements.get(&self.connection, &sql)?;
        for row in values.chunks(columns.len().max(1)) {
            self.budget.start();
            statement.run(row, &mut |_| Ok(ControlFlow::Continue(())))?;
        }
        Ok(())
    }

    fn view(&mut self) -> Result<Option<View>, StoreError> {
        let Some(reader) = self.reader.filter(|_| !self.connection.is_autocommit()) else {
            return Ok(None);
        };
        // Taken from the snapshot, which it opens if nothing has yet; this connection changes nothing itself.
        let session: &mut dyn Session = self;
        let version = session.first("PRAGMA data_version", &[], |row| row.int(0))?;
        Ok(version.flatten().map(|version| View { reader, version }))
    }
}

impl connect::Connection for Database {
    fn begin_read(&mut self) -> Result<(), StoreError> {
        self.run("BEGIN")
    }

    fn end_read(&mut self) -> Result<(), StoreError> {
        self.run("COMMIT")
    }

    fn begin_write(&mut self) -> Result<(), StoreError> {
        if let Some(files) = &self.files {
            files.check()?;
        }
        self.changed_before = self.connection.total_changes();
        self.control("BEGIN IMMEDIATE")
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        // What changed nothing writes nothing, and needs no flush of the disk.
        if self.connection.total_changes() != self.changed_before {
            link::advance(self)?;
        }
        self.control("COMMIT")
    }

    fn roll_back(&mut self) -> Result<(), StoreError> {
        self.control("ROLLBACK")
    }

    fn changes(&self) -> Option<u64> {
        Some(self.connection.total_changes())
    }

    fn begin_savepoint(&mut self) -> Result<(), StoreError> {
        self.control("SAVEPOINT job")
    }

    fn end_savepoint(&mut self, keep: bool) -> Result<(), StoreError> {
        if !keep {
            self.control("ROLLBACK TO job")?;
        }
        self.control("RELEASE job")
    }

    fn is_in_transaction(&self) -> bool {
        !self.connection.is_autocommit()
    }

    fn limit_to_short(&mut self) {
        self.budget.limit_to_short();
    }

    fn end_limit(&mut self) -> bool {
        self.budget.end_limit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A response promises durability: SQLite flushes the log at each commit only if `synchronous` is FULL
    /// (2) in WAL mode, as its documentation of that pragma says. No kill of the process can show it, a loss
    /// of power does.
    #[test]
    fn a_commit_is_on_the_disk_before_it_is_answered() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = StoreOptions::default();
        let path = folder.path().join("plant.db");
        let writer = open_writer(&path, &options, None).expect("a file");
        prepare_writer(&writer, &options).expect("set up");
        let pragma = |name: &str| -> String {
            let sql = format!("SELECT CAST({name} AS TEXT) FROM pragma_{name}");
            let value = writer.connection.query_row(&sql, [], |row| row.get(0));
            value.expect(name)
        };
        assert_eq!(pragma("synchronous"), "2");
        assert_eq!(pragma("journal_mode"), "wal");
        assert_eq!(pragma("foreign_keys"), "1");
    }
}
