//! The one writer: a thread that takes jobs in order, runs several in one transaction, and answers each after
//! the commit.
//!
//! A commit costs a flush of the disk; jobs that arrive meanwhile share the next one. A job that fails, or
//! panics, undoes what it did and nothing else. To be undone by itself it needs a savepoint, which costs as
//! much as the work of many a job; so where the engine can tell that a failed job left nothing behind, jobs
//! run without savepoints, and the first one that did leave something has all of them run again, each with
//! one. Work that must not run twice has a savepoint in any case, and is the last of its transaction, so that
//! no other job has it run again. Where the engine gives up a transaction because of another one, all its
//! jobs run again in any case. Must not answer before the commit: an answer is a promise.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::connect::{Connect, Connection};
use super::{Session, StoreError, StoreOptions};

#[cfg(test)]
mod tests;

/// How often a transaction is tried: others may be in its way, and an engine may end it over one job after
/// the other, as on a full disk.
const ATTEMPTS: u32 = 8;
/// The pause before it is tried again, at most and for each time it was tried: others in the way must not
/// meet it again and again.
const PAUSE: Duration = Duration::from_millis(10);

/// The sending side.
pub(super) struct Writer {
    sender: mpsc::Sender<Message>,
    thread: Mutex<Option<JoinHandle<()>>>,
    repeated: Arc<AtomicU64>,
}

enum Message {
    Job(Box<dyn Job>),
    Stop,
}

/// A unit of work, with its types forgotten.
trait Job: Send {
    /// Whether it has a savepoint of its own from the start, and is the last of its transaction.
    fn is_isolated(&self) -> bool;
    /// Nobody waits for the answer any more.
    fn abandoned(&self) -> bool;
    /// Does the work, once more if what it did before was undone; whether its changes are to stay.
    fn run(&mut self, session: &mut dyn Session) -> bool;
    /// Answers with what the work gave, or with `failure`.
    fn answer(self: Box<Self>, failure: Option<StoreError>);
}

struct Task<F, T, E> {
    work: F,
    is_isolated: bool,
    outcome: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Job for Task<F, T, E>
where
    F: Fn(&mut dyn Session) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn is_isolated(&self) -> bool {
        self.is_isolated
    }

    fn abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn run(&mut self, session: &mut dyn Session) -> bool {
        self.outcome = Some((self.work)(session));
        matches!(self.outcome, Some(Ok(_)))
    }

    fn answer(self: Box<Self>, failure: Option<StoreError>) {
        let outcome = match (failure, self.outcome) {
            (None, Some(outcome)) => outcome,
            (Some(failure), _) => Err(failure.into()),
            (None, None) => Err(StoreError::Engine("a write ended without a result".into()).into()),
        };
        // The caller may have gone; the work stands all the same.
        drop(self.reply.send(outcome));
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
        let work = Work {
            engine,
            connection: Some(connection),
            receiver,
            jobs_per_commit: options.jobs_per_commit.min(E::MOST_SAVEPOINTS),
            repeated: Arc::clone(&repeated),
        };
        let thread = std::thread::Builder::new()
            .name("obeya-writer".into())
            .spawn(move || work.go_on())
            .map_err(|error| {
                StoreError::Unavailable(format!("the writer thread did not start: {error}"))
            })?;
        Ok(Writer {
            sender,
            thread: Mutex::new(Some(thread)),
            repeated,
        })
    }

    /// Sends the work and waits for its commit.
    pub(super) async fn run<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: Fn(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.send(work, false).await
    }

    /// The same for work that does not run again because it failed, or another job did.
    pub(super) async fn run_isolated<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: Fn(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.send(work, true).await
    }

    async fn send<T, E, F>(&self, work: F, is_isolated: bool) -> Result<T, E>
    where
        F: Fn(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let task = Task {
            work,
            is_isolated,
            outcome: None,
            reply,
        };
        let closed = || StoreError::Unavailable("the store is closed".into());
        self.sender
            .send(Message::Job(Box::new(task)))
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

    /// Lets the thread finish what was sent before, and waits for its end.
    pub(super) async fn stop(&self) {
        // An error means that it has ended already.
        let _ = self.sender.send(Message::Stop).await;
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // A writer that died of a panic has told so in the log; there is nothing more to close.
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }
}

/// The thread's own: the connection, and the jobs that come.
struct Work<E: Connect> {
    engine: Arc<E>,
    /// `None` after it was lost, until the next job.
    connection: Option<E::Connection>,
    receiver: mpsc::Receiver<Message>,
    jobs_per_commit: usize,
    /// How often jobs ran again.
    repeated: Arc<AtomicU64>,
}

/// A job that shares a transaction.
struct Shared {
    job: Box<dyn Job>,
    /// What it is answered with, if not with its own outcome.
    failure: Option<StoreError>,
    /// The engine ended a transaction over it: it does not run again.
    is_over: bool,
}

impl Shared {
    fn new(job: Box<dyn Job>) -> Self {
        Shared {
            job,
            failure: None,
            is_over: false,
        }
    }
}

/// A transaction that was not kept, and every job with it.
struct Broken {
    error: StoreError,
    cause: Cause,
}

/// Why a transaction was not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// Only because of another one: it may be tried again.
    Conflict,
    /// A job failed that left something behind, and had no savepoint to go back to.
    NoSavepoint,
    /// The engine ended it over a job, as it does with what runs out of time while it changes rows.
    Ended,
    /// All else. It stays so.
    Fault,
}

/// Which jobs of a transaction have a savepoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Savepoints {
    /// Those that must be.
    Needed,
    All,
}

impl<E: Connect> Work<E> {
    fn go_on(mut self) {
        while let Some(Message::Job(first)) = self.receiver.blocking_recv() {
            if !self.run_batch(first) {
                break;
            }
        }
        // The connection closes here; the last one of the process to an embedded database writes the log back
        // into the file.
    }

    /// Runs the first job and those already waiting in one transaction. False when the writer is to stop.
    fn run_batch(&mut self, first: Box<dyn Job>) -> bool {
        let mut batch = vec![Shared::new(first)];
        let mut go_on = true;
        let mut attempts = 0;
        let (mut gather, mut savepoints) = (true, Savepoints::Needed);
        let broken = loop {
            let Err(broken) = self.attempt(&mut batch, gather, savepoints, &mut go_on) else {
                break None;
            };
            self.give_up(&broken, batch.len());
            attempts += 1;
            if broken.cause == Cause::Fault || attempts == ATTEMPTS {
                break Some(broken.error);
            }
            if broken.cause == Cause::Conflict {
                let pause = PAUSE * attempts;
                std::thread::sleep(pause.mul_f64(fastrand::f64()));
            }
            self.repeated.fetch_add(1, Ordering::Relaxed);
            (gather, savepoints) = (false, Savepoints::All);
        };
        for shared in batch {
            let broken = broken.as_ref().filter(|_| !shared.is_over);
            let failure = broken.map(StoreError::again).or(shared.failure);
            shared.job.answer(failure);
        }
        go_on
    }

    /// The jobs in one transaction; a panic outside of them, in the connection that is, ends that connection
    /// and not the thread.
    fn attempt(
        &mut self,
        batch: &mut Vec<Shared>,
        gather: bool,
        savepoints: Savepoints,
        go_on: &mut bool,
    ) -> Result<(), Broken> {
        let ran = catch_unwind(AssertUnwindSafe(|| {
            self.transaction(batch, gather, savepoints, go_on)
        }));
        ran.unwrap_or_else(|_| {
            self.connection = None;
            Err(Broken {
                // It may have been the commit.
                error: StoreError::Uncertain("the connection that writes panicked".into()),
                cause: Cause::Fault,
            })
        })
    }

    /// The jobs in one transaction, with those that wait for their turn meanwhile if it is to `gather` more.
    fn transaction(
        &mut self,
        batch: &mut Vec<Shared>,
        mut gather: bool,
        savepoints: Savepoints,
        go_on: &mut bool,
    ) -> Result<(), Broken> {
        let (receiver, most) = (&mut self.receiver, self.jobs_per_commit);
        let connection = begin(self.engine.as_ref(), &mut self.connection)?;
        let mut at = 0;
        loop {
            while let Some(next) = batch.get_mut(at) {
                if next.job.abandoned() {
                    batch.remove(at);
                    continue;
                }
                gather &= !next.job.is_isolated();
                if !next.is_over {
                    run(connection, next, savepoints)?;
                }
                at += 1;
            }
            if !gather || batch.len() >= most {
                break;
            }
            match receiver.try_recv() {
                Ok(Message::Job(job)) => batch.push(Shared::new(job)),
                Ok(Message::Stop) => {
                    *go_on = false;
                    break;
                }
                Err(_) => break,
            }
        }
        let committed = connection.commit();
        committed.map_err(|error| broken(connection, error))
    }

    /// Undoes what is left of a transaction.
    fn give_up(&mut self, broken: &Broken, jobs: usize) {
        let error = &broken.error;
        match broken.cause {
            Cause::Conflict => tracing::debug!(%error, jobs, "a transaction met another one"),
            Cause::NoSavepoint => tracing::debug!(%error, jobs, "jobs run again with savepoints"),
            Cause::Ended | Cause::Fault => tracing::error!(%error, jobs, "a transaction was lost"),
        }
        let Some(connection) = &mut self.connection else {
            return;
        };
        if connection.is_in_transaction()
            && !connection.is_lost()
            && let Err(error) = connection.roll_back()
        {
            tracing::error!(%error, "a transaction could not be rolled back");
        }
        if connection.is_lost() {
            self.connection = None;
        }
    }
}

/// Begins a transaction, on a new connection if the last one was lost.
fn begin<'c, E: Connect>(
    engine: &E,
    kept: &'c mut Option<E::Connection>,
) -> Result<&'c mut E::Connection, Broken> {
    if let Some(connection) = kept
        && let Err(error) = connection.begin_write()
    {
        if !connection.is_lost() {
            return Err(broken(connection, error));
        }
        *kept = None;
    }
    // What a borrow of the one that is kept would forbid here.
    if kept.is_none() {
        let lost = |error| Broken {
            error,
            cause: Cause::Fault,
        };
        let mut connection = engine.writer().map_err(lost)?;
        connection.begin_write().map_err(lost)?;
        *kept = Some(connection);
    }
    Ok(kept.as_mut().expect("it was there, or was just opened"))
}

/// One job, with a savepoint if it is to have one, or if the engine cannot tell what it left behind.
fn run<C: Connection>(
    connection: &mut C,
    shared: &mut Shared,
    savepoints: Savepoints,
) -> Result<(), Broken> {
    let before = match savepoints {
        Savepoints::Needed if !shared.job.is_isolated() => connection.changes(),
        _ => None,
    };
    if before.is_none() {
        let begun = connection.begin_savepoint();
        begun.map_err(|error| broken(connection, error))?;
    }
    let ran = catch_unwind(AssertUnwindSafe(|| shared.job.run(connection)));
    let kept = match ran {
        Ok(true) => connection.settle().map(|()| true),
        Ok(false) => Ok(false),
        Err(_) => Err(StoreError::Engine("a write panicked".into())),
    };
    let keep = matches!(kept, Ok(true));
    shared.failure = kept.err();
    if !connection.is_in_transaction() {
        return Err(ended(connection, shared, keep));
    }
    if before.is_none() {
        let ended = connection.end_savepoint(keep);
        ended.map_err(|error| broken(connection, error))?;
    } else if !keep && connection.changes() != before {
        return Err(Broken {
            error: StoreError::Engine("a write that failed had no savepoint".into()),
            cause: Cause::NoSavepoint,
        });
    }
    if connection.take_conflict() {
        let text = "another transaction was in the way";
        return Err(Broken {
            error: StoreError::Unavailable(text.into()),
            cause: Cause::Conflict,
        });
    }
    Ok(())
}

/// The transaction went while the job ran: a full disk does that, and a statement that runs out of time while
/// it changes rows. The others are not to pay for it.
fn ended<C: Connection>(connection: &mut C, shared: &mut Shared, keep: bool) -> Broken {
    let text = "the transaction was rolled back by the engine";
    let broken = broken(connection, StoreError::Unavailable(text.into()));
    if broken.cause == Cause::Conflict || connection.is_lost() {
        return broken;
    }
    if keep {
        shared.failure = Some(broken.error.again());
    }
    shared.is_over = true;
    Broken {
        cause: Cause::Ended,
        ..broken
    }
}

fn broken<C: Connection>(connection: &mut C, error: StoreError) -> Broken {
    Broken {
        cause: if connection.take_conflict() {
            Cause::Conflict
        } else {
            Cause::Fault
        },
        error,
    }
}
