//! What an engine gives to those who run units of work on it: connections, and the control of their
//! transactions.
//!
//! The pool, the writer and the units of work are the same for every engine; what one forces to differ is
//! said here. Nothing here knows a table.

use super::{Session, StoreError};

/// An engine that connections can be opened to.
pub(super) trait Connect: Send + Sync + 'static {
    /// What it opens.
    type Connection: Connection;

    /// Whether it works in this process, on the thread that asks: look-ups then need no other thread, and
    /// connections for short and for long work are kept apart, as each has a cache of its own.
    const IN_PROCESS: bool;
    /// Most savepoints that a transaction should have.
    const MOST_SAVEPOINTS: usize;

    /// Opens a connection that only reads. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when there is none to be had now.
    fn reader(&self, work: Work) -> Result<Self::Connection, StoreError>;

    /// Opens another connection that writes, after the last one was lost. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when there is none to be had now.
    fn writer(&self) -> Result<Self::Connection, StoreError>;

    /// Makes sure that the files it has open are still the ones that their paths name, if it has files.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when they are not, with what to do.
    fn check_files(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Does what is left to do when no connection is in use any more. Blocks.
    fn closed(&self) {}
}

/// What a connection that reads is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// What the service itself depends on: readiness, revocations, keys, the client of a token request.
    Control,
    /// Look-ups by primary key.
    Point,
    /// Reads that mostly are small. One that is not is ended and begun again as long work.
    Brief,
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

    /// Keeps what was written, on disk.
    ///
    /// # Errors
    /// Nothing was kept; [`StoreError::Uncertain`] when that is not known.
    fn commit(&mut self) -> Result<(), StoreError>;

    /// Undoes the whole transaction.
    fn roll_back(&mut self) -> Result<(), StoreError>;

    /// How many rows it has changed since it was opened, if it can tell. Jobs of one transaction then do
    /// without savepoints, as one that failed and changed nothing leaves nothing behind: a savepoint costs a
    /// copy of every page that is written after it.
    fn changes(&self) -> Option<u64> {
        None
    }

    /// Sets a savepoint. Savepoints are not nested.
    fn begin_savepoint(&mut self) -> Result<(), StoreError>;

    /// Waits for what was sent since the savepoint ([`Session::execute_deferred`]).
    ///
    /// # Errors
    /// What one of these statements failed with. The only way on is back to the savepoint then.
    fn settle(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Releases the savepoint; what was done since stays if `keep`, and is undone otherwise.
    fn end_savepoint(&mut self, keep: bool) -> Result<(), StoreError>;

    /// Whether a transaction is open: an engine may end one by itself, as for a full disk.
    fn is_in_transaction(&self) -> bool;

    /// Whether the connection can be used any more.
    fn is_lost(&self) -> bool {
        false
    }

    /// Whether something failed, since this was last asked, only because another transaction was under way:
    /// the whole of this one may then be tried again.
    fn take_conflict(&mut self) -> bool {
        false
    }

    /// Limits the reads of the snapshot that was just opened to brief work, until [`Connection::take_time`].
    fn be_brief(&mut self);

    /// Allows work of any size again; whether some was ended for being too long.
    fn take_time(&mut self) -> bool;
}
