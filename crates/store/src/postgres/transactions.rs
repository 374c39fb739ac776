//! The transactions of a connection: snapshots, the writer lock, and savepoints.

use super::connection::{PostgresConnection, SHORT_WORK_LIMIT, ShortLimit, Transaction};
use crate::caller::Caller;
use crate::connect::Connection;
use crate::{StoreError, WriteFault};

/// Only one transaction writes at a time, over all processes of the database: it holds a lock on the table
/// `stamps`, the writer lock. So each sees the commit before it, and there are no conflicts. The lock is on
/// the table and not on its row: a row that is locked and changed after a savepoint needs a multixact, the
/// largest cost of a write, and waiting for a row delays the vacuum of its old versions.
const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; LOCK TABLE stamps IN SHARE ROW EXCLUSIVE MODE";

impl Connection for PostgresConnection {
    fn begin_read(&mut self) -> Result<(), StoreError> {
        self.transaction = Transaction::Due;
        self.is_answered = false;
        Ok(())
    }

    fn end_read(&mut self) -> Result<(), StoreError> {
        let was_open = self.transaction == Transaction::Open;
        self.transaction = Transaction::None;
        self.is_answered = false;
        self.is_aborted = false;
        if was_open {
            self.post("COMMIT")?;
            // Flushed now, because the server retains the snapshot until it receives this.
            self.link.flush();
        }
        Ok(())
    }

    fn begin_write(&mut self) -> Result<(), StoreError> {
        if !self.server.is_current(&self.origin) {
            // It may still take writes, which nobody would see.
            self.link
                .end("another server has the address of the database".into());
        }
        self.transaction = Transaction::Open;
        self.is_aborted = false;
        self.audit_entries.clear();
        let Err(error) = self.control(BEGIN_WRITE) else {
            return Ok(());
        };
        if matches!(error, StoreError::NotWritable(WriteFault::Standby, _)) {
            // Another server may be the primary by now, which only a new connection finds.
            self.link.end(error.to_string());
        }
        if !self.is_lost() {
            self.roll_back()?;
        }
        Err(match error {
            StoreError::Timeout => StoreError::Unavailable(
                "timed out waiting for the writer lock; another process holds it".into(),
            ),
            other => other,
        })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        if self.is_aborted {
            // The server would roll back and report success.
            self.roll_back()?;
            return Err(StoreError::Engine(
                "a statement of the transaction had failed".into(),
            ));
        }
        self.prefetched.clear();
        // Sent together with the COMMIT, which the server refuses if this fails.
        self.write_audit_entries()?;
        let was_lost = self.is_lost();
        let client = self.link.client();
        let committed = self.link.wait(client.batch_execute("COMMIT"));
        self.transaction = Transaction::None;
        self.audit_entries.clear();
        match committed {
            Ok(()) => Ok(()),
            Err(failure) if failure.is_unknown || (failure.is_lost && !was_lost) => {
                Err(StoreError::Uncertain(failure.error.to_string()))
            }
            Err(failure) => Err(self.noted(failure)),
        }
    }

    fn roll_back(&mut self) -> Result<(), StoreError> {
        // The rollback also undoes the failed statements.
        let _ = self.await_posted();
        self.prefetched.clear();
        self.audit_entries.clear();
        self.transaction = Transaction::None;
        self.is_aborted = false;
        self.control("ROLLBACK")
    }

    fn changes(&self) -> Option<u64> {
        Some(self.changes)
    }

    fn is_unchanged_since(&mut self, changes: u64) -> bool {
        // An error of a statement that was sent would undo what the next job does.
        let answered = self.await_posted();
        self.prefetched.clear();
        answered.is_ok() && !self.is_aborted && self.changes == changes
    }

    fn begin_savepoint(&mut self) -> Result<(), StoreError> {
        // Drops prefetched queries that were not used.
        self.prefetched.clear();
        self.audit_entries.begin_savepoint();
        self.post("SAVEPOINT job")
    }

    fn await_pending(&mut self) -> Result<(), StoreError> {
        let answered = self.await_posted();
        // Queries that were not used must not answer those of the next job.
        self.prefetched.clear();
        answered?;
        if self.is_aborted {
            return Err(StoreError::Engine(
                "a statement had failed, and the work went on".into(),
            ));
        }
        Ok(())
    }

    fn end_savepoint(&mut self, keep: bool) -> Result<(), StoreError> {
        self.audit_entries.end_savepoint(keep);
        // The next job may have no savepoint, and must not see rows that are rolled back.
        self.prefetched.clear();
        if keep {
            return self.post("RELEASE job");
        }
        let _ = self.await_posted();
        self.is_aborted = false;
        self.post("ROLLBACK TO job; RELEASE job")
    }

    fn is_in_transaction(&self) -> bool {
        self.transaction != Transaction::None && !self.is_lost()
    }

    fn is_lost(&self) -> bool {
        self.link.is_lost()
    }

    fn take_conflict(&mut self) -> bool {
        std::mem::take(&mut self.is_conflict)
    }

    fn take_write_fault(&mut self) -> Option<WriteFault> {
        self.write_fault.take()
    }

    fn set_caller(&mut self, caller: Option<Caller>) {
        self.link.set_caller(caller);
    }

    fn limit_to_short(&mut self) {
        // Not needed if the timeout of statements is as short.
        if self.server.statement_budget() > SHORT_WORK_LIMIT {
            self.short_limit = ShortLimit::Due;
        }
    }

    fn end_limit(&mut self) -> bool {
        std::mem::replace(&mut self.short_limit, ShortLimit::None) == ShortLimit::Exceeded
    }
}
