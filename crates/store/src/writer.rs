//! The writer: a thread that takes jobs in order, runs several in one transaction (group commit), and answers
//! each after the commit.
//!
//! A commit costs a flush of the disk; jobs that arrive meanwhile share the next one. A job that fails, or
//! panics, is rolled back without the others. That needs a savepoint, which costs as much as many a job; so
//! where the engine can tell whether a failed job changed anything, jobs run without savepoints, and after
//! the first failure with changes all of them run again, each with one. Work that is often refused after its
//! changes has a savepoint in any case. So has work that should not run twice, which is also the last of its
//! transaction, so that no other job repeats it. After a conflict with another transaction all jobs run
//! again. Must not answer before the commit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use super::connect::{Connect, Connection};
use super::engine::CommitStatements;
use super::timings::WriterTimings;
use super::write_health::WriteHealth;
use super::{Session, StoreError, StoreOptions};

#[cfg(test)]
mod tests;

/// How often a transaction is tried: others may conflict, and an engine may end it because of one job after
/// the other, as on a full disk.
const ATTEMPTS: u32 = 8;
/// Longest pause before a retry, times the number of attempts; random, so that conflicts do not repeat.
const PAUSE: Duration = Duration::from_millis(10);

/// The sending side.
pub(super) struct Writer {
    sender: mpsc::Sender<Message>,
    thread: Mutex<Option<JoinHandle<()>>>,
    repeated: Arc<AtomicU64>,
    timings: Arc<WriterTimings>,
    health: Arc<WriteHealth>,
}

enum Message {
    /// With the moment at which it was sent.
    Job(Box<dyn Job>, Instant),
    Stop,
}

/// A unit of work with erased types.
trait Job: Send {
    /// How it shares a transaction.
    fn sharing(&self) -> Sharing;
    /// Whether the caller has gone.
    fn is_abandoned(&self) -> bool;
    /// Runs the work, again after a rollback; returns whether it succeeded.
    fn run(&mut self, session: &mut dyn Session) -> bool;
    /// Answers with the result of the work, or with `failure`.
    fn answer(self: Box<Self>, failure: Option<StoreError>);
}

/// How a job shares a transaction with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// Without a savepoint, where the engine allows that.
    Plain,
    /// With a savepoint of its own from the start: it may fail after changes.
    Savepoint,
    /// The same, and as the last job of the transaction: it should not run twice.
    Isolated,
}

struct Task<F, T, E> {
    work: F,
    sharing: Sharing,
    outcome: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Job for Task<F, T, E>
where
    F: Fn(&mut dyn Session) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn sharing(&self) -> Sharing {
        self.sharing
    }

    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn run(&mut self, session: &mut dyn Session) -> bool {
        self.outcome = Some((self.work)(session));
        matches!(self.outcome, Some(Ok(_)))
    }

    fn answer(self: Box<Self>, failure: Option<StoreError>) {
        let Self {
            work,
            outcome,
            reply,
            ..
        } = *self;
        // What the work has is released before the caller knows that it is done, and asks for more.
        drop(work);
        let outcome = match (failure, outcome) {
            (None, Some(outcome)) => outcome,
            (Some(failure), _) => Err(failure.into()),
            (None, None) => Err(StoreError::Engine("a write ended without a result".into()).into()),
        };
        // The caller may have gone; the work is committed all the same.
        drop(reply.send(outcome));
    }
}

impl Writer {
    /// Starts the thread, which owns the connection.
    pub(super) fn start<E: Connect>(
        engine: Arc<E>,
        connection: E::Connection,
        options: &StoreOptions,
    ) -> Result<Self, StoreError> {
        let (sender, receiver) = mpsc::channel(options.write_queue);
        let repeated = Arc::new(AtomicU64::new(0));
        let timings = Arc::<WriterTimings>::default();
        let health = Arc::new(WriteHealth::default());
        let work = WriterThread {
            connection: Some(connection),
            engine,
            receiver,
            jobs_per_commit: options.jobs_per_commit.min(E::MOST_SAVEPOINTS),
            commit_time: Duration::ZERO,
            repeated: Arc::clone(&repeated),
            timings: Arc::clone(&timings),
            health: Arc::clone(&health),
        };
        let thread = std::thread::Builder::new()
            .name("obeya-writer".into())
            .spawn(move || work.run())
            .map_err(|error| {
                StoreError::Unavailable(format!("the writer thread did not start: {error}"))
            })?;
        Ok(Writer {
            sender,
            thread: Mutex::new(Some(thread)),
            repeated,
            timings,
            health,
        })
    }

    /// Sends the work and waits for its commit.
    pub(super) async fn run<T, E, F>(&self, work: F, sharing: Sharing) -> Result<T, E>
    where
        F: Fn(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let task = Task {
            work,
            sharing,
            outcome: None,
            reply,
        };
        let closed = || StoreError::Unavailable("the store is closed".into());
        self.sender
            .send(Message::Job(Box::new(task), Instant::now()))
            .await
            .map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    /// Jobs sent and not yet taken.
    pub(super) fn queued(&self) -> usize {
        self.sender.max_capacity() - self.sender.capacity()
    }

    /// How often jobs ran again.
    pub(super) fn repeated(&self) -> u64 {
        self.repeated.load(Ordering::Relaxed)
    }

    /// How long commits and waits took.
    pub(super) fn timings(&self) -> &WriterTimings {
        &self.timings
    }

    /// Whether its writes work.
    pub(super) fn health(&self) -> &WriteHealth {
        &self.health
    }

    /// Lets the thread finish the queued jobs, and waits for its end.
    pub(super) async fn stop(&self) {
        // An error means that it has ended already.
        let _ = self.sender.send(Message::Stop).await;
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // A panic of the writer is in the log; nothing is left to close.
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }
}

/// State of the thread: the connection, and the queue of jobs.
struct WriterThread<E: Connect> {
    /// `None` after a panic, until the next job. A lost one stays until another is open: the last connection
    /// that closes an embedded database would write its log back into the file.
    ///
    /// Declared before the engine, and dropped first: see [`Connect`].
    connection: Option<E::Connection>,
    engine: Arc<E>,
    receiver: mpsc::Receiver<Message>,
    jobs_per_commit: usize,
    /// How long recent commits took, on average.
    commit_time: Duration,
    /// How often jobs ran again.
    repeated: Arc<AtomicU64>,
    timings: Arc<WriterTimings>,
    health: Arc<WriteHealth>,
}

/// A job that shares a transaction.
struct BatchedJob {
    job: Box<dyn Job>,
    /// The error it is answered with, if not with its own result.
    failure: Option<StoreError>,
    /// The engine rolled back a transaction because of it: it does not run again.
    is_finished: bool,
}

impl BatchedJob {
    fn new(job: Box<dyn Job>) -> Self {
        BatchedJob {
            job,
            failure: None,
            is_finished: false,
        }
    }
}

/// A transaction that was rolled back, with all its jobs.
struct FailedTransaction {
    error: StoreError,
    cause: Cause,
}

/// Why a transaction was rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// A conflict with another transaction: it may be retried.
    Conflict,
    /// A job failed after a change, and had no savepoint.
    NoSavepoint,
    /// The engine rolled it back because of a job, such as a statement that timed out while it changed rows.
    RolledBack,
    /// Any other reason; it is not retried.
    Permanent,
}

/// Which jobs of a transaction have a savepoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Savepoints {
    /// Those that must be.
    Needed,
    All,
}

impl<E: Connect> WriterThread<E> {
    fn run(mut self) {
        while let Some(Message::Job(first, sent)) = self.receiver.blocking_recv() {
            self.timings.waits.observe(sent.elapsed());
            if !self.run_batch(first) {
                break;
            }
        }
        // The connection closes here; the last one of the process to an embedded database writes the log back
        // into the file.
    }

    /// Runs the first job and those already waiting in one transaction. False when the writer is to stop.
    fn run_batch(&mut self, first: Box<dyn Job>) -> bool {
        let mut batch = vec![BatchedJob::new(first)];
        let mut keep_running = true;
        let mut attempts = 0;
        let (mut gather, mut savepoints) = (true, Savepoints::Needed);
        let failed = loop {
            let Err(failed) = self.attempt(&mut batch, gather, savepoints, &mut keep_running)
            else {
                self.note_fault();
                break None;
            };
            self.roll_back(&failed, batch.len());
            attempts += 1;
            if !self.note_fault() && matches!(failed.cause, Cause::Permanent | Cause::RolledBack) {
                self.health.failed(&failed.error);
            }
            if failed.cause == Cause::Permanent || attempts == ATTEMPTS {
                break Some(failed.error);
            }
            if failed.cause == Cause::Conflict {
                let pause = PAUSE * attempts;
                std::thread::sleep(pause.mul_f64(fastrand::f64()));
            }
            self.repeated.fetch_add(1, Ordering::Relaxed);
            (gather, savepoints) = (false, Savepoints::All);
        };
        for batched in batch {
            let failed = failed.as_ref().filter(|_| !batched.is_finished);
            let failure = failed.map(StoreError::again).or(batched.failure);
            batched.job.answer(failure);
        }
        keep_running
    }

    /// The jobs in one transaction; a panic outside of them, in the connection that is, ends that connection
    /// and not the thread.
    fn attempt(
        &mut self,
        batch: &mut Vec<BatchedJob>,
        gather: bool,
        savepoints: Savepoints,
        keep_running: &mut bool,
    ) -> Result<(), FailedTransaction> {
        let ran = catch_unwind(AssertUnwindSafe(|| {
            self.transaction(batch, gather, savepoints, keep_running)
        }));
        ran.unwrap_or_else(|_| {
            self.connection = None;
            Err(FailedTransaction {
                // It may have been the commit.
                error: StoreError::Uncertain("the connection that writes panicked".into()),
                cause: Cause::Permanent,
            })
        })
    }

    /// The jobs in one transaction, with those that wait for their turn meanwhile if it is to `gather` more.
    ///
    /// It gathers those that wait when it begins, and later ones for half as long as a commit takes. Callers
    /// that are answered send their next jobs while it runs: if these joined it without end, everybody would
    /// wait for every commit, and nothing would be prepared meanwhile. Where commits are slow, they do join.
    fn transaction(
        &mut self,
        batch: &mut Vec<BatchedJob>,
        mut gather: bool,
        savepoints: Savepoints,
        keep_running: &mut bool,
    ) -> Result<(), FailedTransaction> {
        let (receiver, most) = (&mut self.receiver, self.jobs_per_commit);
        let timings = &self.timings;
        let connection = begin(self.engine.as_ref(), &mut self.connection)?;
        let (mut waiting, begun) = (batch.len() + receiver.len(), Instant::now());
        let most_time = self.commit_time / 2;
        let mut at = 0;
        loop {
            while let Some(next) = batch.get_mut(at) {
                if next.job.is_abandoned() {
                    batch.remove(at);
                    waiting = waiting.saturating_sub(1);
                    continue;
                }
                gather &= next.job.sharing() != Sharing::Isolated;
                if !next.is_finished {
                    run(connection, next, savepoints)?;
                }
                at += 1;
            }
            if !gather || batch.len() >= most {
                break;
            }
            if batch.len() >= waiting && begun.elapsed() >= most_time {
                break;
            }
            match receiver.try_recv() {
                Ok(Message::Job(job, sent)) => {
                    timings.waits.observe(sent.elapsed());
                    batch.push(BatchedJob::new(job));
                }
                Ok(Message::Stop) => {
                    *keep_running = false;
                    break;
                }
                Err(_) => break,
            }
        }
        let begun = Instant::now();
        let committed = run_commit_statements(connection).and_then(|()| connection.commit());
        match committed {
            Ok(()) => {
                let time = begun.elapsed();
                timings.commits.observe(time);
                self.commit_time = (3 * self.commit_time + time) / 4;
                Ok(())
            }
            Err(error) => Err(failed(connection, error)),
        }
    }

    /// Rolls back what is left of a transaction.
    fn roll_back(&mut self, failed: &FailedTransaction, jobs: usize) {
        let error = &failed.error;
        match failed.cause {
            Cause::Conflict => tracing::debug!(%error, jobs, "a transaction met another one"),
            Cause::NoSavepoint => tracing::debug!(%error, jobs, "jobs run again with savepoints"),
            Cause::RolledBack | Cause::Permanent => {
                tracing::error!(%error, jobs, "a transaction was lost");
            }
        }
        let Some(connection) = &mut self.connection else {
            return;
        };
        if let Some(statements) = connection.commit_statements() {
            statements.clear();
        }
        if connection.is_in_transaction()
            && !connection.is_lost()
            && let Err(error) = connection.roll_back()
        {
            tracing::error!(%error, "a transaction could not be rolled back");
        }
    }

    /// Notes why statements of the last transaction could not write, if one could not.
    fn note_fault(&mut self) -> bool {
        let connection = self.connection.as_mut();
        let fault = connection.and_then(Connection::take_write_fault);
        fault.inspect(|fault| self.health.met(*fault)).is_some()
    }
}

/// Begins a transaction, on a new connection if the last one was lost.
fn begin<'c, E: Connect>(
    engine: &E,
    slot: &'c mut Option<E::Connection>,
) -> Result<&'c mut E::Connection, FailedTransaction> {
    if let Some(connection) = slot
        && !connection.is_lost()
        && let Err(error) = connection.begin_write()
        && !connection.is_lost()
    {
        return Err(failed(connection, error));
    }
    // Here, as the borrow above ends only now.
    if slot.as_ref().is_none_or(Connection::is_lost) {
        let lost = |error| FailedTransaction {
            error,
            cause: Cause::Permanent,
        };
        let mut connection = engine.writer().map_err(lost)?;
        connection.begin_write().map_err(lost)?;
        *slot = Some(connection);
    }
    let connection = slot.as_mut().expect("it was there, or was just opened");
    if let Some(statements) = connection.commit_statements() {
        statements.begin();
    }
    Ok(connection)
}

/// Runs what waited for the commit. Over a network it is sent together with that.
fn run_commit_statements<C: Connection>(connection: &mut C) -> Result<(), StoreError> {
    let statements = connection.commit_statements();
    for (sql, number) in statements.map(CommitStatements::take).unwrap_or_default() {
        connection.execute_deferred(sql, &[number.into()])?;
    }
    Ok(())
}

/// Runs one job, with a savepoint if it needs one, or if the engine cannot tell whether it changed anything.
fn run<C: Connection>(
    connection: &mut C,
    batched: &mut BatchedJob,
    savepoints: Savepoints,
) -> Result<(), FailedTransaction> {
    let before = match savepoints {
        Savepoints::Needed if batched.job.sharing() == Sharing::Plain => connection.changes(),
        _ => None,
    };
    if before.is_none() {
        let begun = connection.begin_savepoint();
        begun.map_err(|error| failed(connection, error))?;
        if let Some(statements) = connection.commit_statements() {
            statements.begin_savepoint();
        }
    }
    let ran = catch_unwind(AssertUnwindSafe(|| batched.job.run(connection)));
    let outcome = match ran {
        Ok(true) => connection.await_pending().map(|()| true),
        Ok(false) => Ok(false),
        Err(_) => Err(StoreError::Engine("a write panicked".into())),
    };
    let keep = matches!(outcome, Ok(true));
    batched.failure = outcome.err();
    if !connection.is_in_transaction() {
        return Err(rolled_back(connection, batched, keep));
    }
    let is_undone = match before {
        None => {
            let ended = connection.end_savepoint(keep);
            ended.map_err(|error| failed(connection, error))?;
            if let Some(statements) = connection.commit_statements() {
                statements.end_savepoint(keep);
            }
            true
        }
        Some(before) => keep || connection.is_unchanged_since(before),
    };
    if connection.take_conflict() {
        let text = "a conflict with another transaction";
        return Err(FailedTransaction {
            error: StoreError::Unavailable(text.into()),
            cause: Cause::Conflict,
        });
    }
    if !is_undone {
        return Err(FailedTransaction {
            error: StoreError::Engine("a write that failed had no savepoint".into()),
            cause: Cause::NoSavepoint,
        });
    }
    Ok(())
}

/// The engine rolled back the transaction while the job ran, as on a full disk, or after a statement that
/// timed out while it changed rows. The other jobs must not fail because of it.
fn rolled_back<C: Connection>(
    connection: &mut C,
    batched: &mut BatchedJob,
    keep: bool,
) -> FailedTransaction {
    let text = "the transaction was rolled back by the engine";
    let failed = failed(connection, StoreError::Unavailable(text.into()));
    if failed.cause == Cause::Conflict || connection.is_lost() {
        return failed;
    }
    if keep {
        batched.failure = Some(failed.error.again());
    }
    batched.is_finished = true;
    FailedTransaction {
        cause: Cause::RolledBack,
        ..failed
    }
}

fn failed<C: Connection>(connection: &mut C, error: StoreError) -> FailedTransaction {
    FailedTransaction {
        cause: if connection.take_conflict() {
            Cause::Conflict
        } else {
            Cause::Permanent
        },
        error,
    }
}
