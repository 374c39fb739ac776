//! The store: where a unit of work runs, and the statements of each resource.
//!
//! A unit of work is a closure over a [`Session`]; [`Store`] decides on which thread and in which transaction
//! it runs. The other modules have the statements, each written once for every engine. Nothing here knows
//! HTTP or the query language.

pub mod attachments;
pub mod audit;
pub mod boards;
pub mod bulk;
mod caller;
pub mod clients;
mod connect;
pub mod data_lists;
pub mod datasources;
pub mod engine;
pub mod entities;
pub mod entity_sets;
pub mod erasure;
mod executor;
#[cfg(test)]
mod facts;
mod fair_queue;
pub mod field;
pub mod grants;
pub mod groups;
pub mod idempotency_records;
pub mod improvements;
pub mod incidents;
pub mod inspection;
pub mod keys;
mod lru_cache;
mod pool;
mod postgres;
pub mod projects;
mod purge_guard;
pub mod random;
mod record_id;
pub mod references;
pub mod refused_tokens;
mod schema;
pub mod search;
pub mod secrets;
pub mod sequences;
pub mod sha256;
mod sqlite;
pub mod stamp;
pub mod table;
pub mod tables;
pub mod task_comments;
pub mod tasks;
#[doc(hidden)]
pub mod testing;
pub mod texts;
pub mod timings;
pub mod types;
pub mod users;
pub mod values;
pub mod variant;
pub mod wire;
pub mod write_error;
mod write_health;
mod writer;

use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use connect::Connect;
pub use engine::{Dialect, EachRow, Row, Session, StoreError, Value, View, WriteFault, present};
use executor::Executor;
pub use fair_queue::{Client, ClientLimits, FairPermit, FairQueue};
pub use pool::readers_for_long_work;
use postgres::Postgres;
pub use postgres::connect as connect_postgres;
pub use purge_guard::PurgeGuard;
pub use record_id::RecordId;
use sqlite::Sqlite;
use timings::Timings;
pub use write_health::COMMIT_CAUSES;

/// What to do with a write-ahead log that a process left behind next to a SQLite file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LeftoverWal {
    /// Apply it if it belongs to the file; otherwise do not open the database.
    #[default]
    Check,
    /// Apply it to any file. That corrupts a file it was not written for.
    Apply,
    /// Rename it, and open the file as it is.
    Discard,
}

/// Options of a store. The defaults suit a small server.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Whether to create the tables in an empty database, and a missing file; otherwise such a database is
    /// refused.
    pub make_tables: bool,
    /// What to do with a write-ahead log that a process left behind. Only SQLite has such a file.
    pub leftover_wal: LeftoverWal,
    /// Most connections that read at one time, besides those of [`Store::poll`] and [`Store::control`]; each
    /// is opened when first needed.
    pub readers: usize,
    /// How long work waits for a reader while all are in use.
    pub reader_wait: Duration,
    /// Most reads of any size that one client may run at one time. More than there are processors for them
    /// only make all of them slower, also those of others.
    pub client_reads: usize,
    /// How many of these one client may run while others want some, in percent.
    pub client_share: u8,
    /// KiB of page cache of a reader for short work. Large, as rows here and there are found by many pages,
    /// and only as many of these readers are in use as there are threads that answer.
    pub reader_cache_kib: u32,
    /// KiB of page cache of a reader for long work. Small: it goes through many pages once, the operating
    /// system caches the file, and there are many readers.
    pub long_reader_cache_kib: u32,
    /// KiB of page cache of the writer.
    pub writer_cache_kib: u32,
    /// Prepared statements that each connection caches.
    pub cached_statements: usize,
    /// How long one statement may run before it ends with [`StoreError::Timeout`], the time spent in its row
    /// callback included.
    pub statement_budget: Duration,
    /// How long a read may idle between its statements, in total: a server ends a transaction that idles for
    /// longer.
    pub reader_pause: Duration,
    /// How often [`Store::poll`] looks whether another server has the address of the database now, as after a
    /// failover. Connections to the one before are then replaced. An embedded engine has no server.
    pub server_check: Duration,
    /// How long a look-up waits on a connection that look-ups share, until it runs on a reader: some hundred
    /// times what it usually takes. An embedded engine has no such connection.
    pub look_up_wait: Duration,
    /// How long to wait for a lock that another process holds.
    pub busy_timeout: Duration,
    /// Capacity of the queue of writes; further senders wait (backpressure).
    pub write_queue: usize,
    /// Most writes that share one commit.
    pub jobs_per_commit: usize,
}

impl Default for StoreOptions {
    fn default() -> Self {
        StoreOptions {
            make_tables: true,
            leftover_wal: LeftoverWal::Check,
            readers: 16,
            reader_wait: Duration::from_secs(5),
            client_reads: default_client_reads(),
            client_share: 50,
            reader_cache_kib: 16384,
            long_reader_cache_kib: 1024,
            writer_cache_kib: 8192,
            cached_statements: 48,
            statement_budget: Duration::from_secs(10),
            reader_pause: Duration::ZERO,
            server_check: Duration::from_secs(10),
            look_up_wait: Duration::from_millis(50),
            busy_timeout: Duration::from_secs(5),
            write_queue: 1024,
            jobs_per_commit: 128,
        }
    }
}

/// The default of [`StoreOptions::client_reads`]: two for each processor. While one ends and the next begins,
/// or one waits for a slow receiver or disk, another uses the processor.
#[must_use]
pub fn default_client_reads() -> usize {
    (available_parallelism().map_or(1, NonZero::get) * 2).max(4)
}

/// The space that a database in files takes.
#[derive(Debug, Clone, Copy)]
pub struct DiskUsage {
    /// Bytes of the database file.
    pub file_bytes: u64,
    /// Bytes of its write-ahead log.
    pub wal_bytes: u64,
    /// Bytes that are free on its file system for this process, if the system reports them.
    pub free_bytes: Option<u64>,
}

/// A database and the threads that work on it. Clones share it.
#[derive(Clone)]
pub struct Store {
    executor: AnyExecutor,
    /// For whom it reads.
    client: Client,
}

/// Executor of work over the engine that the address named.
#[derive(Clone)]
enum AnyExecutor {
    Sqlite(Arc<Executor<Sqlite>>),
    Postgres(Arc<Executor<Postgres>>),
}

/// Calls the executor of whichever engine there is.
macro_rules! on_engine {
    ($store:expr, $executor:ident => $work:expr) => {
        match &$store.executor {
            AnyExecutor::Sqlite($executor) => $work,
            AnyExecutor::Postgres($executor) => $work,
        }
    };
}

impl Store {
    /// Opens the database at `url` (`sqlite:FILE`, created if it is missing, or `postgres://…`) and brings
    /// its schema up to date.
    ///
    /// # Errors
    /// [`StoreError::Schema`] when the address is invalid, or the file is no database, belongs to another
    /// program, or has a newer schema; [`StoreError::Mismatch`] when a log was left behind that belongs to
    /// another file; [`StoreError::Unavailable`] when it cannot be opened.
    pub async fn open(url: &str, options: &StoreOptions) -> Result<Store, StoreError> {
        let (url, options) = (url.to_owned(), options.clone());
        let opened = tokio::task::spawn_blocking(move || {
            if postgres::is_postgres(&url) {
                let opened = Postgres::open(&url, &options)?;
                return start(opened, &options).map(AnyExecutor::Postgres);
            }
            let opened = Sqlite::open(sqlite::file_of(&url)?, &options)?;
            start(opened, &options).map(AnyExecutor::Sqlite)
        });
        let executor = opened
            .await
            .map_err(|failure| StoreError::Engine(Box::new(failure)))??;
        Ok(Store {
            executor,
            client: None,
        })
    }

    /// The same store, with the reads of this client: while others want readers, it has its share of them.
    /// Without a client, reads are those of the service itself, which no share limits.
    #[must_use]
    pub fn for_client(&self, client: &Arc<str>) -> Store {
        Store {
            executor: self.executor.clone(),
            client: Some(Arc::clone(client)),
        }
    }

    /// The SQL that its sessions speak.
    pub fn dialect(&self) -> Dialect {
        match self.executor {
            AnyExecutor::Sqlite(_) => Dialect::Sqlite,
            AnyExecutor::Postgres(_) => Dialect::Postgres,
        }
    }

    /// The name of its engine, to be shown.
    pub fn engine_name(&self) -> &'static str {
        match self.executor {
            AnyExecutor::Sqlite(_) => "sqlite",
            AnyExecutor::Postgres(_) => "postgresql",
        }
    }

    /// The first row of a statement by primary key, mapped; `None` when there is none. The key is the
    /// statement's only parameter. Runs inline on an embedded engine, and on another one without a thread of
    /// its own: look-ups of many requests are pipelined. `map` may run twice.
    ///
    /// # Errors
    /// What `map` returns, and [`StoreError::Unavailable`] when no connection is available.
    pub async fn point<T, F>(
        &self,
        sql: &'static str,
        key: RecordId,
        map: F,
    ) -> Result<Option<T>, StoreError>
    where
        F: Fn(&dyn Row) -> Result<T, StoreError> + Send + Sync + 'static,
        T: Send + 'static,
    {
        on_engine!(self, executor => executor.point(&self.client, sql, key, map).await)
    }

    /// Runs reads that are mostly small, in one snapshot. Once they have taken some hundred microseconds on
    /// an embedded engine, where they run inline, or 100 ms on another one, they are cancelled and restarted
    /// as [`Store::read`]. The work may thus run twice. On the other engine it has no limit, and runs once,
    /// while no client uses or awaits a connection for long work.
    ///
    /// # Errors
    /// What the work returns, and [`StoreError::Unavailable`] when no connection is available.
    pub async fn read_inline<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: Fn(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        on_engine!(self, executor => executor.read_inline(&self.client, work).await)
    }

    /// The same, but always with the limit: returns `None` once the reads have taken too long.
    ///
    /// # Errors
    /// As [`Store::read_inline`].
    pub async fn read_if_short<T, E, F>(&self, work: F) -> Result<Option<T>, E>
    where
        F: Fn(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        on_engine!(self, executor => executor.read_if_short(&self.client, work).await)
    }

    /// Runs the look-ups of one record by its key, whose statements must agree, in one snapshot. Unlike
    /// [`Store::read_inline`] they never queue with long reads, except on an embedded engine; the size of the
    /// record bounds theirs.
    ///
    /// # Errors
    /// What the work returns, and [`StoreError::Unavailable`] when no connection is available.
    pub async fn look_up<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: Fn(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        on_engine!(self, executor => executor.look_up(&self.client, work).await)
    }

    /// Runs the reads that the service repeats and depends on, such as the revoked clients, in one snapshot,
    /// on a connection of their own: they wait for no request. Only one task of the service may use it, as
    /// they wait for one another.
    ///
    /// # Errors
    /// What the work returns, and [`StoreError::Unavailable`] when the connection is not available.
    pub async fn poll<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        on_engine!(self, executor => executor.poll(work).await)
    }

    /// Runs look-ups for requests without a token, such as the client of a token request, in one snapshot, on
    /// a connection of their own: they never wait for reads of clients. They must be short, as they wait for
    /// one another.
    ///
    /// # Errors
    /// What the work returns, and [`StoreError::Unavailable`] when the connection is not available.
    pub async fn control<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        on_engine!(self, executor => executor.control(work).await)
    }

    /// Runs reads of any size on the blocking pool, in one snapshot.
    ///
    /// # Errors
    /// What the work returns, and [`StoreError::Unavailable`] when no connection is available.
    pub async fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        on_engine!(self, executor => executor.read(&self.client, work).await)
    }

    /// Runs reads on another thread, parallel to the caller's, in a snapshot of their own. They are dropped
    /// silently when no reader is idle, so the caller must not depend on them. Call this within the runtime.
    pub fn spawn_if_idle<F>(&self, work: F)
    where
        F: FnOnce(&mut dyn Session) + Send + 'static,
    {
        on_engine!(self, executor => executor.spawn_if_idle(&self.client, work));
    }

    /// Checks that the files of the database are still the ones at their paths; an engine outside of this
    /// process has none.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when one was removed or replaced, with what to do.
    pub fn check_files(&self) -> Result<(), StoreError> {
        on_engine!(self, executor => executor.check_files())
    }

    /// How long one statement may run.
    pub fn statement_budget(&self) -> Duration {
        on_engine!(self, executor => executor.statement_budget())
    }

    /// Runs changes in a transaction and answers once they are on disk. An `Err` or a panic of the work rolls
    /// it back. It runs again after a rollback because of another transaction, or because it or other work in
    /// the same commit failed after a change.
    ///
    /// Work is not started if its caller has gone while it was queued.
    ///
    /// # Errors
    /// What the work returns, and a [`StoreError`] when the transaction could not begin or commit.
    pub async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: Fn(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        on_engine!(self, executor => executor.write(work).await)
    }

    /// The same for work that over a network makes its changes before its last check
    /// ([`Capabilities::has_round_trips`]), so that it does not wait for that check alone. It is then undone
    /// alone if it fails, and no other work of its commit runs again.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub async fn write_checked_late<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: Fn(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        on_engine!(self, executor => executor.write_checked_late(work).await)
    }

    /// The same for work that takes long or should not run twice: it is the last in its commit, so it runs
    /// again only after a conflict with another transaction, which only engines outside of this process
    /// report.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub async fn write_isolated<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: Fn(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        on_engine!(self, executor => executor.write_isolated(work).await)
    }

    /// Repeats a write, with other writes in between, until one changes fewer rows than `most`; returns the
    /// total of changed rows.
    ///
    /// # Errors
    /// The store fails. Earlier changes stay.
    pub(crate) async fn write_in_turns<F>(&self, most: u64, work: F) -> Result<u64, StoreError>
    where
        F: Fn(&mut dyn Session) -> Result<u64, StoreError> + Clone + Send + 'static,
    {
        let mut total = 0;
        loop {
            let changed = self.write(work.clone()).await?;
            total += changed;
            if changed < most {
                return Ok(total);
            }
        }
    }

    /// Why the database took no writes when one was last tried; `None` if writes work, as far as is known.
    pub fn write_fault(&self) -> Option<WriteFault> {
        on_engine!(self, executor => executor.health().fault())
    }

    /// Tries whether writes work, by a small commit and, after a full disk, by some space next to the file;
    /// [`Store::write_fault`] then says what was found.
    ///
    /// # Errors
    /// Why the write failed.
    pub async fn probe_write(&self) -> Result<(), StoreError> {
        on_engine!(self, executor => executor.probe_write().await)
    }

    /// How many commits failed, with the name of each cause.
    pub fn failed_commits(&self) -> [(&'static str, u64); COMMIT_CAUSES] {
        on_engine!(self, executor => executor.health().failed_commits())
    }

    /// Number of queued writes.
    pub fn queued_writes(&self) -> usize {
        on_engine!(self, executor => executor.queued())
    }

    /// How often writes that share a commit ran again: one of them failed after a change, or there was a
    /// conflict with another transaction.
    pub fn repeated_commits(&self) -> u64 {
        on_engine!(self, executor => executor.repeated())
    }

    /// How long commits and waits took since the store was opened.
    pub fn timings(&self) -> Timings {
        on_engine!(self, executor => executor.timings())
    }

    /// The space of its files now; `None` for an engine outside of this process, which has none here.
    pub fn disk_usage(&self) -> Option<DiskUsage> {
        on_engine!(self, executor => executor.disk_usage())
    }

    /// Finishes the queued writes and closes the database; later work fails with [`StoreError::Unavailable`].
    pub async fn close(&self) {
        on_engine!(self, executor => executor.close().await);
    }
}

/// An address without its password, to be shown.
pub fn without_password(url: &str) -> String {
    if postgres::is_postgres(url) {
        postgres::masked(url)
    } else {
        url.to_owned()
    }
}

fn start<E: Connect>(
    (engine, writer): (E, E::Connection),
    options: &StoreOptions,
) -> Result<Arc<Executor<E>>, StoreError> {
    Executor::start(engine, writer, options).map(Arc::new)
}
