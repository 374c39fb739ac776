//! The interface of an engine for the pool and the writer: connections, and the control of their
//! transactions.
//!
//! The pool, the writer and the units of work are the same for every engine; differences are constants and
//! methods here. Nothing here knows a table.

use std::path::Path;

use super::caller::Caller;
use super::{DiskUsage, Row, Session, StoreError, Value, WriteFault};

/// A database engine. It must outlive its connections: what it holds, such as the lock of a database file,
/// says that the database is in use.
pub(super) trait Connect: Send + Sync + 'static {
    /// Its connections.
    type Connection: Connection;

    /// Whether it works in this process, on the calling thread: look-ups then need no other thread, and short
    /// and long work have separate connections, as each connection has its own cache.
    const IN_PROCESS: bool;
    /// Most savepoints that a transaction should have.
    const MOST_SAVEPOINTS: usize;
    /// How many probes in a row must succeed after a full disk before writes count as working: more than one
    /// where [`Connect::check_space`] looks at some of the places only that a change needs.
    const PROBES_AFTER_FULL_DISK: u32 = 1;

    /// Opens a connection that only reads. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when none is available now.
    fn reader(&self, work: Work) -> Result<Self::Connection, StoreError>;

    /// The first row of a statement with this key, mapped, without a reader and without blocking. `None` when
    /// the engine cannot answer that way now.
    fn first<T: Send>(
        &self,
        _sql: &'static str,
        _key: Value<'_>,
        _map: impl Fn(&dyn Row) -> Result<T, StoreError> + Send + Sync,
    ) -> impl Future<Output = Option<Option<T>>> + Send {
        std::future::ready(None)
    }

    /// Opens another connection that writes, after the last one was lost. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when none is available now.
    fn writer(&self) -> Result<Self::Connection, StoreError>;

    /// Checks that its open files are still the ones at their paths, if it has files.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when they are not, with what to do.
    fn check_files(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// The space of its files, if it has files.
    fn disk_usage(&self) -> Option<DiskUsage> {
        None
    }

    /// Checks that there is space for more than a small commit, if it can know. Blocks.
    ///
    /// # Errors
    /// [`StoreError::NotWritable`] when there is none.
    fn check_space(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Cleans up once no connection is in use any more. Blocks.
    fn closed(&self) {}
}

/// The kind of work of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// The clients and keys that the service reads again and again: if it cannot, it refuses every token.
    Poll,
    /// What callers without a token cause: readiness, the client of a token request.
    Control,
    /// Look-ups by primary key.
    Point,
    /// Reads that are mostly small. One that is not is cancelled and restarted as long work.
    Short,
    /// Reads of any size.
    Long,
}

/// A connection. Its methods block.
pub(super) trait Connection: Session + Send + 'static {
    /// Opens a snapshot, which the reads that follow see until [`Connection::end_read`].
    fn begin_read(&mut self) -> Result<(), StoreError>;

    /// Closes the snapshot. After an error the connection is not to be used again.
    fn end_read(&mut self) -> Result<(), StoreError>;

    /// Begins a transaction that writes; no other process over the same data is in one until it ends.
    fn begin_write(&mut self) -> Result<(), StoreError>;

    /// Commits, and waits until the changes are on disk.
    ///
    /// # Errors
    /// Nothing was committed; [`StoreError::Uncertain`] when that is not known. The connection may be lost.
    fn commit(&mut self) -> Result<(), StoreError>;

    /// Rolls back the transaction.
    fn roll_back(&mut self) -> Result<(), StoreError>;

    /// A number that grows with every change since the connection was opened, if there is one. Jobs of one
    /// transaction then need no savepoints, as one that failed without changes leaves nothing to undo. On
    /// SQLite a savepoint costs a copy of every page that is written after it; over a network it costs two
    /// statements and a transaction of its own.
    fn changes(&self) -> Option<u64> {
        None
    }

    /// Whether a job that failed left nothing to undo, where [`Connection::changes`] was this before it.
    fn is_unchanged_since(&mut self, changes: u64) -> bool {
        self.changes() == Some(changes)
    }

    /// Sets a savepoint. Savepoints are not nested.
    fn begin_savepoint(&mut self) -> Result<(), StoreError>;

    /// Waits for the statements sent since the savepoint ([`Session::execute_deferred`]).
    ///
    /// # Errors
    /// One of these statements failed. Only a rollback to the savepoint can follow.
    fn await_pending(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Releases the savepoint, or rolls back to it unless `keep`.
    fn end_savepoint(&mut self, keep: bool) -> Result<(), StoreError>;

    /// Whether a transaction is open: an engine may end one on its own, as for a full disk.
    fn is_in_transaction(&self) -> bool;

    /// Whether the connection is unusable.
    fn is_lost(&self) -> bool {
        false
    }

    /// Whether something failed, since the last call, only because of another transaction: this one may then
    /// be retried as a whole.
    fn take_conflict(&mut self) -> bool {
        false
    }

    /// The last reason since the last call why a statement could not write. The error of a job does not tell
    /// the writer.
    fn take_write_fault(&mut self) -> Option<WriteFault> {
        None
    }

    /// Stops the statements of this caller once it has gone, until it is set to none. The connection may then
    /// be lost.
    fn set_caller(&mut self, caller: Option<Caller>);

    /// Limits the reads of the snapshot that was just opened to short work, until [`Connection::end_limit`].
    fn limit_to_short(&mut self);

    /// Allows work of any size again; returns whether some was cancelled as too long.
    fn end_limit(&mut self) -> bool;
}

/// Receives how many pages of how many are copied; returns whether to go on.
pub type PagesCopied<'a> = dyn FnMut(u64, u64) -> bool + 'a;

/// A fault that the engine found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// In the file.
    File(String),
    /// An object of the schema is missing or another one.
    Schema(String),
    /// In a table of the engine.
    Table(&'static str, String),
}

/// A database in one snapshot, on one engine.
pub(super) trait Inspect {
    fn session(&mut self) -> &mut dyn Session;

    /// `None` on an engine without a file.
    fn copy_pages(
        &self,
        _target: &Path,
        _progress: &mut PagesCopied<'_>,
    ) -> Result<Option<bool>, StoreError> {
        Ok(None)
    }

    /// None on an engine without a file.
    fn faults_of_file(&mut self) -> Result<Vec<Fault>, StoreError> {
        Ok(Vec::new())
    }

    fn faults(&mut self) -> Result<Vec<Fault>, StoreError>;
}
