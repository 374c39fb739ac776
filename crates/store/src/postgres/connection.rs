//! One connection: its state, how statements are prepared on it, and how a lost connection is replaced.
//!
//! A round trip costs more than most statements, so statements are pipelined: a snapshot begins together with
//! its first statement, and the end of a snapshot or a savepoint is sent with the next one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_postgres::Statement;

use super::audit_entries::AuditEntries;
use super::errors::Failure;
use super::link::Link;
use super::placeholders::numbered;
use super::prefetched::Prefetched;
use super::server::{Origin, Role, Server};
use crate::engine::CommitStatements;
use crate::lru_cache::LruCache;
use crate::{StoreError, WriteFault};

const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// The same for short work: the server cancels its statements after [`SHORT_WORK_LIMIT`]. The limit ends with
/// the transaction, and is sent with its beginning.
const BEGIN_SHORT_READ: &str =
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 100";

/// The time limit of short work. Most lists take a few milliseconds, or a few tens of milliseconds on a busy
/// server. With a longer limit, long statements would occupy more of the readers for short work.
pub(super) const SHORT_WORK_LIMIT: Duration = Duration::from_millis(100);

/// The longest statement that is cached, in bytes: the server needs several times as much for its plan, on
/// each connection. Those with a time zone have 15,000.
const LONGEST_CACHED: usize = 100_000;

/// A connection, with the statements it has prepared.
pub struct PostgresConnection {
    pub(super) link: Link,
    pub(super) origin: Origin,
    pub(super) statements: LruCache<Statement>,
    pub(super) prefetched: Prefetched,
    /// What the writer runs before it commits.
    pub(super) commit_statements: CommitStatements,
    /// The audit entries of the transaction.
    pub(super) audit_entries: AuditEntries,
    pub(super) server: Arc<Server>,
    pub(super) role: Role,
    pub(super) transaction: Transaction,
    /// Whether the server has answered a statement since the transaction began.
    pub(super) is_answered: bool,
    /// Whether the server refuses statements until a rollback.
    pub(super) is_aborted: bool,
    /// Statements sent so far that may change rows.
    pub(super) changes: u64,
    pub(super) is_conflict: bool,
    pub(super) write_fault: Option<WriteFault>,
    pub(super) short_limit: ShortLimit,
}

/// The state of the limit of short work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShortLimit {
    /// No limit except the timeout of each statement.
    None,
    /// Limited; the transaction has not begun.
    Due,
    /// Limited until this time.
    Until(Instant),
    /// The work exceeded the limit and was cancelled.
    Exceeded,
}

/// State of the transaction of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transaction {
    /// No transaction: each statement commits by itself.
    None,
    /// Begins together with the next statement.
    Due,
    /// BEGIN was sent; the server may not have executed it yet.
    Open,
}

impl PostgresConnection {
    /// Opens a connection. Blocks.
    pub(super) fn open(server: Arc<Server>, role: Role) -> Result<Self, StoreError> {
        let (link, origin) = server.connect(role)?;
        Ok(PostgresConnection {
            link,
            origin,
            statements: LruCache::new(server.statements()),
            prefetched: Prefetched::default(),
            commit_statements: CommitStatements::default(),
            audit_entries: AuditEntries::default(),
            server,
            role,
            transaction: Transaction::None,
            is_answered: false,
            is_aborted: false,
            changes: 0,
            is_conflict: false,
            write_fault: None,
            short_limit: ShortLimit::None,
        })
    }

    /// Makes the planner look rows up by an index wherever there is one. A prepared statement keeps its plan,
    /// and one that was made while a table had few rows would read the whole table at every write, until the
    /// server updates the statistics of a table that has grown meanwhile.
    pub(super) fn prefer_indexes(&mut self) -> Result<(), StoreError> {
        self.control("SET enable_seqscan = off")
    }

    /// Runs control statements such as BEGIN, and waits for them.
    pub(super) fn control(&mut self, sql: &str) -> Result<(), StoreError> {
        let client = self.link.client();
        let ran = self.link.wait(client.batch_execute(sql));
        ran.map_err(|failure| self.noted(failure))
    }

    /// The same, without waiting.
    pub(super) fn post(&mut self, sql: &'static str) -> Result<(), StoreError> {
        let client = self.link.client();
        let posted = self
            .link
            .post(async move { client.batch_execute(sql).await });
        posted.map_err(|failure| self.noted(failure))
    }

    /// Waits for the answers to all posted statements.
    pub(super) fn await_posted(&mut self) -> Result<(), StoreError> {
        let awaited = self.link.await_pending();
        awaited.map_err(|failure| self.noted(failure))
    }

    /// Begins the transaction that is due.
    fn begin_due(&mut self) -> Result<(), StoreError> {
        if self.transaction != Transaction::Open {
            self.is_answered = false;
            if self.role == Role::Poll {
                self.server.look_again();
            }
            let is_usable = !self.link.is_lost() && self.server.is_current(&self.origin);
            if !is_usable && self.role != Role::Writer {
                self.renew()?;
            }
        }
        if self.transaction == Transaction::Due {
            self.transaction = Transaction::Open;
            self.post_begin()?;
        }
        Ok(())
    }

    fn post_begin(&mut self) -> Result<(), StoreError> {
        if self.short_limit == ShortLimit::None {
            return self.post(BEGIN_READ);
        }
        self.short_limit = ShortLimit::Until(Instant::now() + SHORT_WORK_LIMIT);
        self.post(BEGIN_SHORT_READ)
    }

    /// Updates the state of the connection after a failure; returns the error for callers.
    pub(super) fn noted(&mut self, failure: Failure) -> StoreError {
        self.is_conflict |= failure.is_conflict;
        if let StoreError::NotWritable(fault, _) = failure.error {
            self.write_fault = Some(fault);
        }
        if failure.is_stale {
            // With pipelined statements, the stale one is unknown.
            self.statements.clear();
            self.is_conflict |= self.role == Role::Writer;
        }
        self.is_aborted |= self.transaction == Transaction::Open;
        if self.short_limit != ShortLimit::None && matches!(failure.error, StoreError::Timeout) {
            self.short_limit = ShortLimit::Exceeded;
        }
        failure.error
    }

    /// Runs `work`. If the connection is lost or a prepared statement is stale, and no result was passed on
    /// yet, a reader retries once, on a new connection if necessary.
    pub(super) fn run<T>(
        &mut self,
        mut work: impl FnMut(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, StoreError> {
        if self.is_limit_exceeded() {
            self.short_limit = ShortLimit::Exceeded;
            return Err(StoreError::Timeout);
        }
        self.begin_due()?;
        let ran = work(self);
        let failure = match ran {
            Ok(value) => {
                self.is_answered = true;
                return Ok(value);
            }
            Err(failure) => failure,
        };
        if failure.is_stale {
            self.statements.clear();
        }
        let may_repeat = self.role != Role::Writer && !self.is_answered;
        if !may_repeat || !(failure.is_lost || failure.is_stale) {
            return Err(self.noted(failure));
        }
        let was_open = self.transaction == Transaction::Open;
        if failure.is_lost {
            self.renew()?;
        } else if was_open {
            self.post("ROLLBACK")?;
        }
        if was_open {
            self.post_begin()?;
        }
        let again = work(self);
        self.is_answered = true;
        again.map_err(|failure| self.noted(failure))
    }

    /// Whether short work has exceeded its limit, over all its statements.
    fn is_limit_exceeded(&self) -> bool {
        match self.short_limit {
            ShortLimit::None | ShortLimit::Due => false,
            ShortLimit::Until(end) => Instant::now() >= end,
            ShortLimit::Exceeded => true,
        }
    }

    /// Replaces a connection that is lost, or to a server that is not followed any more.
    fn renew(&mut self) -> Result<(), StoreError> {
        if self.link.is_lost() {
            self.server.was_lost();
        }
        self.statements.clear();
        let (mut link, origin) = self.server.connect(self.role)?;
        link.set_caller(self.link.take_caller());
        (self.link, self.origin) = (link, origin);
        Ok(())
    }

    /// The prepared statement of this text, from the cache if possible.
    pub(super) fn prepared(&mut self, sql: &str) -> Result<Statement, Failure> {
        let link = &mut self.link;
        let mut prepare = || {
            let (client, text) = (link.client(), numbered(sql));
            link.wait(client.prepare(&text))
        };
        if sql.len() > LONGEST_CACHED {
            return prepare();
        }
        self.statements.get(sql, prepare).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_ends_brief_statements_when_we_do() {
        let setting = format!("statement_timeout = {}", SHORT_WORK_LIMIT.as_millis());
        assert!(BEGIN_SHORT_READ.ends_with(&setting), "{BEGIN_SHORT_READ}");
    }
}
