//! A connection: opening and configuration, statements, and transactions.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::budget::{Budget, STEPS_PER_CHECK};
use super::checkpointer::{CHECKPOINT_FRAMES, Checkpointer};
use super::errors::{is_flush_failure, store_error};
use super::files::{self, OpenFiles};
use super::functions;
use super::link;
use super::log_limit;
use super::statement::Statements;
use crate::caller::Caller;
use crate::connect;
use crate::engine::{Capabilities, CommitStatements};
use crate::{Dialect, EachRow, Session, StoreError, StoreOptions, Value, View, WriteFault};

/// The number of read connections opened so far in this process.
static READERS: AtomicU64 = AtomicU64::new(0);
/// The page size of a new file. Twice the default, which halves the system calls of reading a page of values.
const PAGE_BYTES: u32 = 8192;
/// Rows appended within one time budget, which is some seconds: a slow disk may need 10 ms for each.
const ROWS_PER_BUDGET: usize = 100;
/// The longest pause before a retry while other processes set up the file.
const PAUSE: Duration = Duration::from_millis(10);

/// A connection and the time budget of its running statement.
pub struct SqliteConnection {
    /// Declared before the connection, so that it is dropped first.
    statements: Statements,
    /// Of the writer. Declared before the connection: its connection must not be the last one to close.
    checkpointer: Option<Checkpointer>,
    /// The size that the log keeps, as it is set.
    log_limit: u64,
    pub(super) connection: Connection,
    budget: Arc<Budget>,
    /// The number of a read connection.
    reader: Option<u64>,
    /// The files that it has open, once they are known.
    files: Option<Arc<OpenFiles>>,
    /// SQLite's count of changed rows before the current transaction.
    changed_before: u64,
    /// What the writer runs before it commits.
    commit_statements: CommitStatements,
    /// Why the last statement that could not write could not.
    write_fault: Option<WriteFault>,
    /// A flush failed, or the file was opened for reading only: another connection must take over.
    is_lost: bool,
}

impl Drop for SqliteConnection {
    /// The last connection to close checkpoints the WAL into the file. That would corrupt a file that
    /// replaced the original one.
    fn drop(&mut self) {
        if let Some(files) = &self.files
            && !files.check_at_close()
        {
            let option = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
            if let Err(error) = self.connection.set_db_config(option, true) {
                tracing::error!(%error, "the log may be written into a file that it does not belong to");
            }
        }
    }
}

impl SqliteConnection {
    /// Runs a control statement such as BEGIN.
    pub(super) fn control(&self, sql: &str) -> Result<(), StoreError> {
        self.control_raw(sql).map_err(store_error)
    }

    fn control_raw(&self, sql: &str) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.raw_execute().map(drop)
    }

    /// Notes why a statement could not write. A file that could not be opened for writing was opened for
    /// reading, which stays so for this connection.
    fn noted<T>(&mut self, ran: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(StoreError::NotWritable(fault, _)) = ran {
            self.write_fault = Some(fault);
            self.is_lost |= fault == WriteFault::ReadOnly;
        }
        ran
    }

    /// Makes the failure of a commit whose flush failed definite, and gives up this connection.
    ///
    /// The WAL has the whole commit, although its index does not: no connection sees it, but a start after a
    /// kill would. Another commit is written in its place. If its flush fails too, only a power failure can
    /// bring the first one back.
    fn give_up(&mut self, error: StoreError) -> StoreError {
        self.is_lost = true;
        if !self.connection.is_autocommit() && self.control_raw("ROLLBACK").is_err() {
            return StoreError::Uncertain(error.to_string());
        }
        let replaced = self
            .control_raw("BEGIN IMMEDIATE")
            .and_then(|()| self.control_raw(link::ADVANCE))
            .and_then(|()| self.control_raw("COMMIT"));
        match replaced {
            Ok(()) => error,
            Err(again) if is_flush_failure(&again) => error,
            Err(other) => StoreError::Uncertain(format!("{error}; then {other}")),
        }
    }

    /// The same for statements that every read runs, through the statement cache.
    fn run(&mut self, sql: &str) -> Result<(), StoreError> {
        self.query(sql, &[], &mut |_| Ok(ControlFlow::Continue(())))
    }

    /// Notes the files that the writer has open, and checkpoints their log beside it.
    pub(super) fn write_to(&mut self, files: &Arc<OpenFiles>) -> Result<(), StoreError> {
        self.files = Some(Arc::clone(files));
        let checkpointer = Checkpointer::start(&mut self.connection, Arc::clone(files))?;
        self.checkpointer = Some(checkpointer);
        Ok(())
    }

    /// Adapts the size that the log keeps, after a commit.
    fn limit_log(&mut self) {
        let limit = self.checkpointer.as_ref().map(Checkpointer::log_limit);
        let Some(limit) = limit.filter(|limit| *limit != self.log_limit) else {
            return;
        };
        self.log_limit = limit;
        let sql = format!("PRAGMA journal_size_limit = {limit}");
        if let Err(error) = self.connection.query_row(&sql, [], |_| Ok(())) {
            tracing::debug!(%error, "the size of the log was not limited");
        }
    }

    /// Gives statements no time budget, for migrations, or their budget again.
    pub(super) fn lift_budget(&self, is_lifted: bool) {
        self.budget.lift(is_lifted);
    }
}

/// Opens the connection that writes: the first one, which creates a missing file if the options allow it, or
/// another one to the files that are open already. Nothing is written before [`prepare_writer`].
pub(super) fn open_writer(
    path: &Path,
    options: &StoreOptions,
    files: Option<&Arc<OpenFiles>>,
) -> Result<SqliteConnection, StoreError> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    flags.set(
        OpenFlags::SQLITE_OPEN_CREATE,
        files.is_none() && options.make_tables,
    );
    let mut database = open(path, flags, options, files)?;
    // It runs the queries of readers and also changes.
    database.statements = Statements::new(options.cached_statements.saturating_mul(2));
    Ok(database)
}

/// Configures the writer, and the file if it is new.
pub(super) fn prepare_writer(
    database: &SqliteConnection,
    options: &StoreOptions,
) -> Result<(), StoreError> {
    let setup = format!(
        "PRAGMA page_size = {PAGE_BYTES};
         PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA foreign_keys = ON;
         PRAGMA wal_autocheckpoint = {CHECKPOINT_FRAMES};
         PRAGMA journal_size_limit = {};
         PRAGMA cache_size = -{};",
        log_limit::LEAST,
        options.writer_cache_kib
    );
    // Processes that open a new file concurrently conflict when they switch it to WAL mode, and SQLite then
    // fails immediately, whatever the busy timeout is.
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

/// Opens a read-only connection to the files that are already open. The size of its page cache is in KiB.
pub(super) fn open_reader(
    path: &Path,
    options: &StoreOptions,
    files: &Arc<OpenFiles>,
    cache_kib: u32,
) -> Result<SqliteConnection, StoreError> {
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

/// Opens a connection that only reads, and may make temporary tables of its own. With `is_private` no other
/// process uses the file, which is then read alone ([`files::immutable`]).
pub(super) fn open_inspector(
    path: &Path,
    options: &StoreOptions,
    is_private: bool,
) -> Result<SqliteConnection, StoreError> {
    if is_private {
        return open(
            Path::new(&files::immutable(path)),
            files::IMMUTABLE,
            options,
            None,
        );
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    open(path, flags, options, None)
}

fn open(
    path: &Path,
    flags: OpenFlags,
    options: &StoreOptions,
    files: Option<&Arc<OpenFiles>>,
) -> Result<SqliteConnection, StoreError> {
    let mut connection =
        Connection::open_with_flags(path, flags).map_err(|error| match store_error(error) {
            StoreError::Unavailable(text) => {
                StoreError::Unavailable(format!("{} cannot be opened: {text}", path.display()))
            }
            other => other,
        })?;
    // Checked before the first statement, which would apply the WAL to whatever file has the path now.
    if let Some(files) = files {
        files.check()?;
    }
    connection
        .busy_timeout(options.busy_timeout)
        .map_err(store_error)?;
    connection.set_prepared_statement_cache_capacity(options.cached_statements);
    // Query planner stability guarantee: without it, SQLite prepares a statement again when the bound value
    // of a range changes, which defeats the statement cache.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(store_error)?;
    let budget = Arc::new(Budget::new(options.statement_budget));
    functions::register(&connection, &budget)?;
    let watch = Arc::clone(&budget);
    connection
        .progress_handler(STEPS_PER_CHECK, Some(move || watch.is_spent()))
        .map_err(store_error)?;
    Ok(SqliteConnection {
        statements: Statements::new(options.cached_statements),
        checkpointer: None,
        log_limit: log_limit::LEAST,
        connection,
        budget,
        reader: None,
        files: files.cloned(),
        changed_before: 0,
        commit_statements: CommitStatements::default(),
        write_fault: None,
        is_lost: false,
    })
}

impl Session for SqliteConnection {
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
        let ran = statement.run(binds, each);
        self.noted(ran)
    }

    fn execute(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<u64, StoreError> {
        self.execute_deferred(sql, binds)?;
        Ok(self.connection.changes())
    }

    fn execute_deferred(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<(), StoreError> {
        self.query(sql, binds, &mut |_| Ok(ControlFlow::Continue(())))
    }

    fn commit_statements(&mut self) -> Option<&mut CommitStatements> {
        // SQLite ends the transaction by itself after some errors.
        (!self.connection.is_autocommit()).then_some(&mut self.commit_statements)
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
        let budget = &self.budget;
        let mut chunks = values.chunks((columns.len() * ROWS_PER_BUDGET).max(1));
        let ran = chunks.try_for_each(|rows| {
            budget.start();
            statement.run_for_rows(rows)
        });
        self.noted(ran)
    }

    fn view(&mut self) -> Result<Option<View>, StoreError> {
        let Some(reader) = self.reader.filter(|_| !self.connection.is_autocommit()) else {
            return Ok(None);
        };
        // Read from the snapshot, which this opens if no statement has; this connection changes nothing
        // itself.
        let session: &mut dyn Session = self;
        let version = session.first("PRAGMA data_version", &[], |row| row.int(0))?;
        Ok(version.flatten().map(|version| View { reader, version }))
    }
}

impl connect::Connection for SqliteConnection {
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
        // Without changes no link is written, so the commit writes and flushes nothing.
        if self.connection.total_changes() != self.changed_before {
            link::advance(self)?;
        }
        match self.control_raw("COMMIT") {
            Ok(()) => {
                self.limit_log();
                Ok(())
            }
            Err(error) if is_flush_failure(&error) => Err(self.give_up(store_error(error))),
            Err(error) => Err(store_error(error)),
        }
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

    fn is_lost(&self) -> bool {
        self.is_lost
    }

    fn take_write_fault(&mut self) -> Option<WriteFault> {
        self.write_fault.take()
    }

    fn set_caller(&mut self, caller: Option<Caller>) {
        self.budget.set_caller(caller);
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

    /// A response promises durability: SQLite flushes the WAL at each commit only if `synchronous` is FULL
    /// (2) in WAL mode, as its documentation of that pragma says. Killing the process cannot test this; only
    /// a power failure would.
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
