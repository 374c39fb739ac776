//! The [`Session`] over a connection: statements, their values and their rows.

use std::ops::ControlFlow;
use std::pin::{Pin, pin};

use futures_util::TryStreamExt as _;
use tokio_postgres::RowStream;
use tokio_postgres::types::ToSql;

use super::audit_entries::{self, Unwritten};
use super::connection::{PostgresConnection, Transaction};
use super::copy;
use super::errors::Failure;
use super::server::{Origin, Role};
use super::values::{Bound, Columns, Owned};
use crate::engine::{Capabilities, CommitStatements};
use crate::{Dialect, EachRow, Session, StoreError, Value, View};

/// The last transaction in a snapshot, if no other was running: then equal numbers mean equal snapshots. NULL
/// on a standby, which does not know the running transactions of its primary.
const VIEW: &str = "SELECT CASE WHEN NOT pg_is_in_recovery() AND pg_snapshot_xmin(s) = pg_snapshot_xmax(s) \
    THEN pg_snapshot_xmax(s)::text::bigint END FROM pg_current_snapshot() AS s";
/// Unwanted rows that are read before the query is cancelled: cancelling costs a connection.
const UNWANTED_ROWS: usize = 1_000;

impl Session for PostgresConnection {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn capabilities(&self) -> &'static dyn Capabilities {
        &super::capabilities::Postgres
    }

    fn query(
        &mut self,
        sql: &str,
        binds: &[Value<'_>],
        each: &mut EachRow<'_>,
    ) -> Result<(), StoreError> {
        if let Some(rows) = self.prefetched.take(sql, binds) {
            self.await_posted()?;
            return rows.deliver(each);
        }
        self.changes += u64::from(!is_select(sql));
        self.write_audit_entries_before(sql)?;
        let mut is_given = false;
        self.run(|database| {
            let ran = database.rows(sql, binds, &mut is_given, each);
            // Rows that were passed on cannot be taken back, so it is not retried.
            database.is_answered |= is_given;
            ran
        })?
    }

    fn execute(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<u64, StoreError> {
        self.changes += 1;
        self.write_audit_entries_before(sql)?;
        self.run(|database| {
            let statement = database.prepared(sql)?;
            let client = database.link.client();
            let values = binds.iter().map(|value| Bound(*value));
            database.link.wait(client.execute_raw(&statement, values))
        })
    }

    fn execute_deferred(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<(), StoreError> {
        self.changes += 1;
        self.write_audit_entries_before(sql)?;
        let values: Vec<Owned> = binds.iter().map(|value| Owned::from(*value)).collect();
        self.post_change(sql, &values)
    }

    fn commit_statements(&mut self) -> Option<&mut CommitStatements> {
        (self.transaction == Transaction::Open).then_some(&mut self.commit_statements)
    }

    fn prefetch(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<(), StoreError> {
        // A read is retried when its connection turns out to be dead, which is only known of statements that
        // are awaited.
        if self.role != Role::Writer {
            return Ok(());
        }
        self.changes += u64::from(!is_select(sql));
        self.write_audit_entries_before(sql)?;
        self.run(|database| {
            let statement = database.prepared(sql)?;
            let client = database.link.client();
            let values: Vec<Owned> = binds.iter().map(|value| Owned::from(*value)).collect();
            let rows = database.prefetched.add(sql, binds);
            database.link.post(async move {
                let found = client.query_raw(&statement, values).await?;
                rows.set(found.try_collect().await?);
                Ok(())
            })
        })
    }

    fn append_audit_entry(&mut self, values: &[Value<'_>; 10]) -> Result<(), StoreError> {
        if self.role != Role::Writer || self.transaction != Transaction::Open {
            let append = self.capabilities().append_audit_entry();
            return self.execute_deferred(append, values);
        }
        // A job that fails after this one has to be undone.
        self.changes += 1;
        self.audit_entries.push(values);
        if self.audit_entries.are_large() {
            return self.write_audit_entries();
        }
        Ok(())
    }

    fn append(
        &mut self,
        table: &str,
        columns: &[&str],
        values: &[Value<'_>],
    ) -> Result<(), StoreError> {
        self.changes += 1;
        self.write_audit_entries_before(table)?;
        let columns = columns.join(", ");
        let look = format!("SELECT {columns} FROM {table} LIMIT 0");
        let copy = format!("COPY {table} ({columns}) FROM STDIN (FORMAT binary)");
        self.run(|database| {
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
        if self.role == Role::Writer || self.transaction == Transaction::None {
            return Ok(None);
        }
        // After a crash a server reuses numbers of transactions that were not on disk, in the same epoch; but
        // no connection survives a crash. So the number of connections opened so far, this one included, is
        // larger after a crash than before it.
        let opened = self.server.opened();
        let session: &mut dyn Session = self;
        let version = session.first(VIEW, &[], |row| row.int(0))?;
        let Origin { epoch, number, .. } = self.origin;
        let reader = (epoch << 32) | (opened.max(number) & 0xffff_ffff);
        Ok(version.flatten().map(|version| View { reader, version }))
    }
}

/// Whether a query is certain to change no rows; others may, as those with RETURNING do.
fn is_select(sql: &str) -> bool {
    sql.trim_ascii_start().starts_with("SELECT")
}

impl PostgresConnection {
    /// Sends a statement that changes rows, without waiting for the answer.
    fn post_change<P>(&mut self, sql: &str, values: &[P]) -> Result<(), StoreError>
    where
        P: ToSql + Clone + Send + Sync + 'static,
    {
        self.run(|database| {
            let statement = database.prepared(sql)?;
            let client = database.link.client();
            let values = values.to_vec();
            database
                .link
                .post(async move { client.execute_raw(&statement, values).await.map(drop) })
        })
    }

    /// Writes the audit entries of the transaction so far if a statement may read or change the log.
    fn write_audit_entries_before(&mut self, sql: &str) -> Result<(), StoreError> {
        if self.audit_entries.are_pending() && sql.contains(audit_entries::TABLE) {
            return self.write_audit_entries();
        }
        Ok(())
    }

    /// Writes the audit entries of the transaction that are not written yet, without waiting.
    pub(super) fn write_audit_entries(&mut self) -> Result<(), StoreError> {
        match self.audit_entries.take_unwritten() {
            Unwritten::None => Ok(()),
            Unwritten::One(values) => {
                let append = self.capabilities().append_audit_entry();
                self.post_change(append, &values)
            }
            Unwritten::Several(columns) => self.post_change(audit_entries::APPEND, &columns),
        }
    }

    /// Calls `each` with each row, until it breaks or fails. Its error is separate from an error of the
    /// server.
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
            // Cancelling also ends the transaction, which an error of `each` ends anyway.
            let may_stop = self.role != Role::Writer
                && (wanted.is_err() || self.transaction == Transaction::None);
            self.drain(rows.as_mut(), may_stop)?;
            return Ok(wanted.map(drop));
        }
        Ok(Ok(()))
    }

    /// Reads the rest of an unwanted result.
    fn drain(&mut self, mut rows: Pin<&mut RowStream>, may_stop: bool) -> Result<(), Failure> {
        let mut unwanted = 0;
        let mut was_asked = false;
        loop {
            match self.link.next(rows.as_mut()) {
                Ok(None) => {
                    if was_asked {
                        // The cancellation may hit the next statement of this connection.
                        self.link
                            .end("a statement ended as it was to be stopped".into());
                    }
                    return Ok(());
                }
                Ok(Some(_)) => unwanted += 1,
                Err(failure) if was_asked && matches!(failure.error, StoreError::Timeout) => {
                    self.is_aborted |= self.transaction == Transaction::Open;
                    return Ok(());
                }
                Err(failure) => {
                    if was_asked {
                        self.link
                            .end("a statement failed as it was to be stopped".into());
                    }
                    return Err(failure);
                }
            }
            if may_stop && unwanted == UNWANTED_ROWS {
                let cancel = self.link.client().cancel_token();
                let tls = self.server.tls();
                was_asked = true;
                // If the cancellation fails, the rest is read. A failed cancellation may still have reached
                // the server.
                let _ = self.link.wait(cancel.cancel_query(tls));
            }
        }
    }
}
