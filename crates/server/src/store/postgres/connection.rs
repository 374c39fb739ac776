//! One connection: its transactions, and the [`Session`] over it.
//!
//! A round trip costs more than most statements, so nothing is waited for that nobody needs to know yet: a transaction begins together with its first statement,
//! and what ends a snapshot or a part travels with whatever comes next.

use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;

use super::copy;
use super::errors::Failure;
use super::link::Link;
use super::placeholders::numbered;
use super::server::{Role, Server};
use super::statements::Statements;
use super::values::{Bound, Columns, Owned};
use crate::store::connect::Connection;
use crate::store::{Dialect, EachRow, Session, StoreError, Value, View};

const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// Writers take turns, so each sees what the one before it kept, and none is ever in another's way.
const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
/// Whoever holds the row of stamps has the turn, among all processes over the database.
const TURN: &str = "SELECT last FROM stamps WHERE id = 1 FOR UPDATE";
/// The last transaction that a snapshot knows, if none was under way beside it: equal numbers are then equal snapshots. A server that follows another one
/// does not list what is under way there.
const VIEW: &str = "SELECT CASE WHEN NOT pg_is_in_recovery() AND pg_snapshot_xmin(s) = pg_snapshot_xmax(s) \
    THEN pg_snapshot_xmax(s)::text::bigint END FROM pg_current_snapshot() AS s";
/// Rows that nobody wants any more and that are read all the same, before the server is asked to stop: asking costs a connection.
const UNWANTED_ROWS: usize = 1_000;

/// A connection, with the statements it has prepared.
pub(in crate::store) struct Database {
    pub(super) link: Link,
    epoch: u64,
    statements: Statements,
    server: Arc<Server>,
    role: Role,
    transaction: Transaction,
    /// Whether the server has answered a statement since the transaction began.
    is_answered: bool,
    /// Whether the server takes nothing more until what failed is undone.
    is_aborted: bool,
    is_conflict: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transaction {
    None,
    /// To begin with the next statement.
    Due,
    Open,
}

impl Database {
    /// Opens one. Blocks.
    pub(super) fn open(server: Arc<Server>, role: Role) -> Result<Self, StoreError> {
        let (link, epoch) = server.connect(role)?;
        Ok(Database {
            link,
            epoch,
            statements: Statements::new(server.statements()),
            server,
            role,
            transaction: Transaction::None,
            is_answered: false,
            is_aborted: false,
            is_conflict: false,
        })
    }

    /// Runs statements of the engine's own, such as BEGIN, and waits for them.
    pub(super) fn control(&mut self, sql: &str) -> Result<(), StoreError> {
        let client = self.link.client();
        let ran = self.link.wait(client.batch_execute(sql));
        ran.map_err(|failure| self.noted(failure))
    }

    /// The same, without waiting.
    fn post(&mut self, sql: &'static str) -> Result<(), StoreError> {
        let client = self.link.client();
        let posted = self
            .link
            .post(async move { client.batch_execute(sql).await });
        posted.map_err(|failure| self.noted(failure))
    }

    /// Waits for all that was posted.
    fn settled(&mut self) -> Result<(), StoreError> {
        let settled = self.link.settle();
        settled.map_err(|failure| self.noted(failure))
    }

    /// Begins what is due.
    fn begin_due(&mut self) -> Result<(), StoreError> {
        if self.transaction == Transaction::Due {
            self.transaction = Transaction::Open;
            self.post(BEGIN_READ)?;
        }
        Ok(())
    }

    /// What callers get of a failure, after what follows from it for this connection.
    fn noted(&mut self, failure: Failure) -> StoreError {
        self.is_conflict |= failure.is_conflict;
        self.is_aborted |= self.transaction == Transaction::Open;
        failure.error
    }

    /// Does something with the server; once more on a new connection if the one from the pool turns out to be dead, or if a statement must be prepared anew,
    /// and nothing was given out yet.
    fn run<T>(
        &mut self,
        sql: &str,
        mut work: impl FnMut(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, StoreError> {
        self.begin_due()?;
        if self.transaction == Transaction::None {
            self.is_answered = false;
        }
        let ran = work(self);
        let failure = match ran {
            Ok(value) => {
                self.is_answered = true;
                return Ok(value);
            }
            Err(failure) => failure,
        };
        if failure.is_stale {
            self.statements.forget(sql);
        }
        let may_repeat = self.role == Role::Reader && !self.is_answered;
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
            self.post(BEGIN_READ)?;
        }
        let again = work(self);
        self.is_answered = true;
        again.map_err(|failure| self.noted(failure))
    }

    /// Takes a new connection for the one that was lost.
    fn renew(&mut self) -> Result<(), StoreError> {
        self.server.was_lost();
        self.statements.clear();
        (self.link, self.epoch) = self.server.connect(self.role)?;
        Ok(())
    }

    fn prepared(&mut self, sql: &str) -> Result<tokio_postgres::Statement, Failure> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement);
        }
        let client = self.link.client();
        let text = numbered(sql);
        let statement = self.link.wait(client.prepare(&text))?;
        self.statements.keep(sql, statement.clone());
        Ok(statement)
    }

    fn rows(
        &mut self,
        sql: &str,
        binds: &[Value<'_>],
        is_given: &mut bool,
        each: &mut EachRow<'_>,
    ) -> Result<Result<(), StoreError>, Failure> {
        let statement = self.prepared(sql)?;
        let client = self.link.client();
        let values = binds.iter().map(|value| Bound(*value));
        let rows = self.link.wait(client.query_raw(&statement, values))?;
        let mut rows = pin!(rows);
        while let Some(row) = self.link.next(rows.as_mut())? {
            *is_given = true;
            let wanted = each(&Columns(row));
            if let Ok(ControlFlow::Continue(())) = wanted {
                continue;
            }
            // What fails in a transaction may as well end it.
            let may_stop = wanted.is_err() || self.transaction == Transaction::None;
            self.drain(rows.as_mut(), may_stop)?;
            return Ok(wanted.map(drop));
        }
        Ok(Ok(()))
    }

    /// Reads on to the end of an answer that nobody wants any more.
    fn drain(
        &mut self,
        mut rows: std::pin::Pin<&mut tokio_postgres::RowStream>,
        may_stop: bool,
    ) -> Result<(), Failure> {
        let mut unwanted = 0;
        let mut is_stopped = false;
        loop {
            match self.link.next(rows.as_mut()) {
                Ok(None) => return Ok(()),
                Ok(Some(_)) => unwanted += 1,
                Err(failure) if is_stopped && !failure.is_lost => {
                    self.is_aborted |= self.transaction == Transaction::Open;
                    return Ok(());
                }
                Err(failure) => return Err(failure),
            }
            if may_stop && unwanted == UNWANTED_ROWS {
                let cancel = self.link.client().cancel_token();
                let tls = self.server.tls();
                // Without it the rest is read, as long as that takes.
                is_stopped = self.link.wait(cancel.cancel_query(tls)).is_ok();
            }
        }
    }
}

impl Session for Database {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn query(
        &mut self,
        sql: &str,
        binds: &[Value<'_>],
        each: &mut EachRow<'_>,
    ) -> Result<(), StoreError> {
        let mut is_given = false;
        self.run(sql, |database| {
            let ran = database.rows(sql, binds, &mut is_given, each);
            // What was given cannot be taken back, so it is not begun again.
            database.is_answered |= is_given;
            ran
        })?
    }

    fn execute(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<u64, StoreError> {
        self.run(sql, |database| {
            let statement = database.prepared(sql)?;
            let client = database.link.client();
            let values = binds.iter().map(|value| Bound(*value));
            database.link.wait(client.execute_raw(&statement, values))
        })
    }

    fn send(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<(), StoreError> {
        self.run(sql, |database| {
            let statement = database.prepared(sql)?;
            let client = database.link.client();
            let values: Vec<Owned> = binds.iter().map(|value| Owned::from(*value)).collect();
            database
                .link
                .post(async move { client.execute_raw(&statement, values).await.map(drop) })
        })
    }

    fn append(
        &mut self,
        table: &str,
        columns: &[&str],
        values: &[Value<'_>],
    ) -> Result<(), StoreError> {
        let columns = columns.join(", ");
        let look = format!("SELECT {columns} FROM {table} LIMIT 0");
        let copy = format!("COPY {table} ({columns}) FROM STDIN (FORMAT binary)");
        self.run(&copy, |database| {
            let kinds = database.prepared(&look)?;
            let kinds: Vec<_> = kinds
                .columns()
                .iter()
                .map(|column| column.type_().clone())
                .collect();
            let pieces = copy::pieces(&kinds, values)?;
            let statement = database.prepared(&copy)?;
            let client = database.link.client();
            let sent = copy::send(&client, &statement, pieces);
            database.link.wait(sent).map(drop)
        })
    }

    fn view(&mut self) -> Result<Option<View>, StoreError> {
        if self.role != Role::Reader || self.transaction == Transaction::None {
            return Ok(None);
        }
        let session: &mut dyn Session = self;
        let version = session.first(VIEW, &[], |row| row.int(0))?;
        let reader = self.epoch;
        Ok(version.flatten().map(|version| View { reader, version }))
    }
}

impl Connection for Database {
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
            // At once: the server keeps what the snapshot sees until it hears of its end.
            self.link.flush();
        }
        Ok(())
    }

    fn begin_write(&mut self) -> Result<(), StoreError> {
        self.transaction = Transaction::Open;
        self.is_aborted = false;
        let begun = self
            .post(BEGIN_WRITE)
            .and_then(|()| self.query(TURN, &[], &mut |_| Ok(ControlFlow::Continue(()))));
        let Err(error) = begun else {
            return Ok(());
        };
        self.statements.forget(TURN);
        if !self.is_lost() {
            self.roll_back()?;
        }
        Err(match error {
            StoreError::Timeout => StoreError::Unavailable(
                "the turn to write did not come: another process is writing".into(),
            ),
            other => other,
        })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        if self.is_aborted {
            // The server would undo it all and call that a success.
            self.roll_back()?;
            return Err(StoreError::Engine(
                "a statement of the transaction had failed".into(),
            ));
        }
        let was_lost = self.is_lost();
        let client = self.link.client();
        let committed = self.link.wait(client.batch_execute("COMMIT"));
        self.transaction = Transaction::None;
        match committed {
            Ok(()) => Ok(()),
            Err(failure) if failure.is_lost && !was_lost => {
                Err(StoreError::Uncertain(failure.error.to_string()))
            }
            Err(failure) => Err(self.noted(failure)),
        }
    }

    fn roll_back(&mut self) -> Result<(), StoreError> {
        // What failed is undone with the rest.
        let _ = self.settled();
        self.transaction = Transaction::None;
        self.is_aborted = false;
        self.control("ROLLBACK")
    }

    fn begin_part(&mut self) -> Result<(), StoreError> {
        self.post("SAVEPOINT job")
    }

    fn settle(&mut self) -> Result<(), StoreError> {
        self.settled()?;
        if self.is_aborted {
            return Err(StoreError::Engine(
                "a statement had failed, and the work went on".into(),
            ));
        }
        Ok(())
    }

    fn end_part(&mut self, keep: bool) -> Result<(), StoreError> {
        if keep {
            return self.post("RELEASE job");
        }
        let _ = self.settled();
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
}
