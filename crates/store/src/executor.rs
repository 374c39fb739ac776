//! Runs units of work on an engine: on which thread, and in which transaction.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use super::caller::caller;
use super::connect::{Connect, Connection, Work};
use super::fair_queue::Client;
use super::pool::{Permit, Pool};
use super::timings::Timings;
use super::write_health::WriteHealth;
use super::writer::{Sharing, Writer};
use super::{DiskUsage, RecordId, Row, Session, StoreError, StoreOptions, WriteFault};

/// Changes a row without changing its value: the smallest write that needs a commit.
const PROBE: &str = "UPDATE stamps SET last = last WHERE id = 1";

/// One database.
pub(super) struct Executor<E: Connect> {
    readers: Arc<Pool<E>>,
    writer: Writer,
}

impl<E: Connect> Executor<E> {
    /// Over an engine whose database is up to date, with the first connection that writes to it.
    pub(super) fn start(
        engine: E,
        writer: E::Connection,
        options: &StoreOptions,
    ) -> Result<Self, StoreError> {
        let engine = Arc::new(engine);
        let writer = Writer::start(Arc::clone(&engine), writer, options)?;
        let readers = Arc::new(Pool::new(engine, options.clone()));
        Ok(Executor { readers, writer })
    }

    /// The first row of a statement by primary key, mapped: without a reader if the engine can, otherwise on
    /// one, and inline if the engine works in this process.
    pub(super) async fn point<T, F>(
        &self,
        client: &Client,
        sql: &'static str,
        key: RecordId,
        map: F,
    ) -> Result<Option<T>, StoreError>
    where
        F: Fn(&dyn Row) -> Result<T, StoreError> + Send + Sync + 'static,
        T: Send + 'static,
    {
        let engine = self.readers.engine();
        if let Some(found) = engine.first(sql, (&key).into(), &map).await {
            return Ok(found);
        }
        let permit = self.readers.permit(Work::Point, client).await?;
        let work = move || {
            let mut reader = permit.reader()?;
            let session: &mut dyn Session = reader.connection();
            session.first(sql, &[(&key).into()], map)
        };
        if E::IN_PROCESS {
            work()
        } else {
            blocking(work).await
        }
    }

    /// Runs the work inside one snapshot, inline if the engine works in this process. If it takes too long,
    /// cancels it and runs it again as [`Self::read`] does.
    pub(super) async fn read_inline<T, X, F>(&self, client: &Client, work: F) -> Result<T, X>
    where
        F: Fn(&mut dyn Session) -> Result<T, X> + Send + 'static,
        T: Send + 'static,
        X: From<StoreError> + Send + 'static,
    {
        // Outside of this process it has no limit while no client uses or awaits a permit for long work.
        let unlimited = match E::IN_PROCESS {
            true => None,
            false => self.readers.try_long_permit_if_idle(client),
        };
        match self.try_short(client, unlimited, work).await? {
            ControlFlow::Break(found) => Ok(found),
            // Boxed here and below: what few reads need would make the future of every request larger.
            ControlFlow::Continue(work) => Box::pin(self.read(client, work)).await,
        }
    }

    /// The same, but returns `None` if the work takes too long.
    pub(super) async fn read_if_short<T, X, F>(
        &self,
        client: &Client,
        work: F,
    ) -> Result<Option<T>, X>
    where
        F: Fn(&mut dyn Session) -> Result<T, X> + Send + 'static,
        T: Send + 'static,
        X: From<StoreError> + Send + 'static,
    {
        Ok(self.try_short(client, None, work).await?.break_value())
    }

    /// Runs the work as short work, or without a limit if there is a permit for that; returns it if it was
    /// cancelled as too long.
    async fn try_short<T, X, F>(
        &self,
        client: &Client,
        unlimited: Option<Permit<E>>,
        work: F,
    ) -> Result<ControlFlow<T, F>, X>
    where
        F: Fn(&mut dyn Session) -> Result<T, X> + Send + 'static,
        T: Send + 'static,
        X: From<StoreError> + Send + 'static,
    {
        let is_limited = unlimited.is_none();
        let permit = match unlimited {
            Some(permit) => permit,
            None => self.readers.permit(Work::Short, client).await?,
        };
        let (_waits, caller) = caller();
        let attempt = move || {
            let mut reader = permit.reader()?;
            reader.connection().set_caller(Some(caller));
            reader.connection().begin_read()?;
            if is_limited {
                reader.connection().limit_to_short();
            }
            let outcome = work(reader.connection());
            let was_long = reader.connection().end_limit();
            reader.end();
            match outcome {
                Err(_) if was_long => Ok(ControlFlow::Continue(work)),
                outcome => outcome.map(ControlFlow::Break),
            }
        };
        if E::IN_PROCESS {
            attempt()
        } else {
            blocking(attempt).await
        }
    }

    /// Runs look-ups of one record in several statements, inside one snapshot: as short work where the engine
    /// works in this process, otherwise with a permit for look-ups and no time limit.
    pub(super) async fn look_up<T, X, F>(&self, client: &Client, work: F) -> Result<T, X>
    where
        F: Fn(&mut dyn Session) -> Result<T, X> + Send + 'static,
        T: Send + 'static,
        X: From<StoreError> + Send + 'static,
    {
        if E::IN_PROCESS {
            return self.read_inline(client, work).await;
        }
        Box::pin(self.run(Work::Point, client, work)).await
    }

    /// Runs the poll on the blocking pool, inside one snapshot, on a connection that no other work takes.
    pub(super) async fn poll<T, X, F>(&self, work: F) -> Result<T, X>
    where
        F: FnOnce(&mut dyn Session) -> Result<T, X> + Send + 'static,
        T: Send + 'static,
        X: From<StoreError> + Send + 'static,
    {
        self.run(Work::Poll, &None, work).await
    }

    /// The same for control work, on another connection.
    pub(super) async fn control<T, X, F>(&self, work: F) -> Result<T, X>
    where
        F: FnOnce(&mut dyn Session) -> Result<T, X> + Send + 'static,
        T: Send + 'static,
        X: From<StoreError> + Send + 'static,
    {
        self.run(Work::Control, &None, work).await
    }

    /// Runs the work on the blocking pool, inside one snapshot. Its statement is stopped if the future is
    /// dropped.
    pub(super) async fn read<T, X, F>(&self, client: &Client, work: F) -> Result<T, X>
    where
        F: FnOnce(&mut dyn Session) -> Result<T, X> + Send + 'static,
        T: Send + 'static,
        X: From<StoreError> + Send + 'static,
    {
        self.run(Work::Long, client, work).await
    }

    async fn run<T, X, F>(&self, kind: Work, client: &Client, work: F) -> Result<T, X>
    where
        F: FnOnce(&mut dyn Session) -> Result<T, X> + Send + 'static,
        T: Send + 'static,
        X: From<StoreError> + Send + 'static,
    {
        let permit = self.readers.permit(kind, client).await?;
        let (_waits, caller) = caller();
        blocking(move || {
            let mut reader = permit.reader()?;
            // Control work is short, and its connection is needed by others too.
            if kind != Work::Control {
                reader.connection().set_caller(Some(caller));
            }
            reader.connection().begin_read()?;
            let outcome = work(reader.connection());
            reader.end();
            outcome
        })
        .await
    }

    /// Runs the work on the blocking pool, inside one snapshot, if a reader is free now and no request waits
    /// for one.
    pub(super) fn spawn_if_idle<F>(&self, client: &Client, work: F)
    where
        F: FnOnce(&mut dyn Session) + Send + 'static,
    {
        if self.readers.is_awaited() {
            return;
        }
        let Some(permit) = self.readers.try_permit(Work::Long, client) else {
            return;
        };
        // The result is not awaited, and the panic hook has reported a panic by then.
        drop(tokio::task::spawn_blocking(move || {
            let Ok(mut reader) = permit.reader() else {
                return;
            };
            if reader.connection().begin_read().is_ok() {
                work(reader.connection());
                reader.end();
            }
        }));
    }

    /// Checks that the engine's files are still at their paths.
    pub(super) fn check_files(&self) -> Result<(), StoreError> {
        self.readers.engine().check_files()
    }

    /// How long one statement may run.
    pub(super) fn statement_budget(&self) -> Duration {
        self.readers.options().statement_budget
    }

    /// Runs the work on the writer thread, inside a transaction that other jobs may share, and answers after
    /// its commit.
    pub(super) async fn write<T, X, F>(&self, work: F) -> Result<T, X>
    where
        F: Fn(&mut dyn Session) -> Result<T, X> + Send + 'static,
        T: Send + 'static,
        X: From<StoreError> + Send + 'static,
    {
        self.writer.run(work, Sharing::Plain).await
    }

    /// The same for work that over a network may fail after its changes.
    pub(super) async fn write_checked_late<T, X, F>(&self, work: F) -> Result<T, X>
    where
        F: Fn(&mut dyn Session) -> Result<T, X> + Send + 'static,
        T: Send + 'static,
        X: From<StoreError> + Send + 'static,
    {
        let sharing = match E::IN_PROCESS {
            true => Sharing::Plain,
            false => Sharing::Savepoint,
        };
        self.writer.run(work, sharing).await
    }

    /// The same for work that does not run again because it failed, or another job did.
    pub(super) async fn write_isolated<T, X, F>(&self, work: F) -> Result<T, X>
    where
        F: Fn(&mut dyn Session) -> Result<T, X> + Send + 'static,
        T: Send + 'static,
        X: From<StoreError> + Send + 'static,
    {
        self.writer.run(work, Sharing::Isolated).await
    }

    /// Whether writes work.
    pub(super) fn health(&self) -> &WriteHealth {
        self.writer.health()
    }

    /// Tries a write, and after a full disk whether there is space for more than that; notes the result.
    /// After a full disk some engines need several in a row.
    pub(super) async fn probe_write(&self) -> Result<(), StoreError> {
        // Other writes run meanwhile, and may meet a fault that the probe did not.
        let met = self.health().faults_met();
        if self.health().fault() == Some(WriteFault::DiskFull) {
            let readers = Arc::clone(&self.readers);
            blocking(move || readers.engine().check_space()).await?;
        }
        self.write(|session| session.execute(PROBE, &[]).map(drop))
            .await?;
        match self.health().probed(met, E::PROBES_AFTER_FULL_DISK) {
            None => Ok(()),
            Some(fault) => Err(StoreError::NotWritable(
                fault,
                "a small write succeeded, which does not show yet that others do".into(),
            )),
        }
    }

    /// Jobs waiting for the writer.
    pub(super) fn queued(&self) -> usize {
        self.writer.queued()
    }

    /// How often jobs that share a commit ran again.
    pub(super) fn repeated(&self) -> u64 {
        self.writer.repeated()
    }

    /// How long commits and waits took.
    pub(super) fn timings(&self) -> Timings {
        Timings::read(self.writer.timings(), self.readers.waits())
    }

    /// The space of the engine's files, if it has files.
    pub(super) fn disk_usage(&self) -> Option<DiskUsage> {
        self.readers.engine().disk_usage()
    }

    /// Waits a moment for the reads that run, finishes the jobs already sent, and closes every connection
    /// that is not in use.
    pub(super) async fn close(&self) {
        self.readers.close().await;
        self.writer.stop().await;
        let readers = Arc::clone(&self.readers);
        // It fails only after a panic, which is in the log.
        let _ = tokio::task::spawn_blocking(move || readers.engine().closed()).await;
    }
}

/// Runs the work on the blocking pool. The future does not contain the work.
fn blocking<T, X>(
    work: impl FnOnce() -> Result<T, X> + Send + 'static,
) -> impl Future<Output = Result<T, X>> + Send
where
    T: Send + 'static,
    X: From<StoreError> + Send + 'static,
{
    let running = tokio::task::spawn_blocking(work);
    async move {
        match running.await {
            Ok(outcome) => outcome,
            Err(failure) => Err(StoreError::Engine(Box::new(failure)).into()),
        }
    }
}
