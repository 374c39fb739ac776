//! The one writer: a thread that takes jobs in order, runs several in one transaction, and answers each after the commit.
//!
//! A commit costs a flush of the disk; jobs that arrive meanwhile share the next one. A job that fails, or panics, undoes its own savepoint and
//! nothing else. Must not answer before the commit: an answer is a promise.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot};

use super::connection::Database;
use super::errors::again;
use crate::store::{Session, StoreError, StoreOptions};

/// The sending side.
pub(super) struct Writer {
    sender: mpsc::Sender<Message>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

enum Message {
    Job(Box<dyn Job>),
    Stop,
}

/// A unit of work, with its types forgotten.
trait Job: Send {
    /// Nobody waits for the answer any more.
    fn abandoned(&self) -> bool;
    /// Does the work; whether its changes are to stay.
    fn run(&mut self, session: &mut dyn Session) -> bool;
    /// Answers with what the work gave, or with `failure`.
    fn answer(self: Box<Self>, failure: Option<StoreError>);
}

struct Task<F, T, E> {
    work: Option<F>,
    outcome: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Job for Task<F, T, E>
where
    F: FnOnce(&mut dyn Session) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn run(&mut self, session: &mut dyn Session) -> bool {
        if let Some(work) = self.work.take() {
            self.outcome = Some(work(session));
        }
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
    pub(super) fn start(database: Database, options: &StoreOptions) -> Result<Self, StoreError> {
        let (sender, receiver) = mpsc::channel(options.write_queue);
        let jobs_per_commit = options.jobs_per_commit;
        let thread = std::thread::Builder::new()
            .name("obeya-writer".into())
            .spawn(move || work_off(database, receiver, jobs_per_commit))
            .map_err(|error| {
                StoreError::Unavailable(format!("the writer thread did not start: {error}"))
            })?;
        Ok(Writer {
            sender,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Sends the work and waits for its commit.
    pub(super) async fn run<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&mut dyn Session) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let task = Task {
            work: Some(work),
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

fn work_off(mut database: Database, mut receiver: mpsc::Receiver<Message>, jobs_per_commit: usize) {
    while let Some(Message::Job(first)) = receiver.blocking_recv() {
        if !run_batch(&mut database, first, &mut receiver, jobs_per_commit) {
            break;
        }
    }
    // The connection closes here; the last one of the process writes the log back into the file.
}

/// Runs the first job and those already waiting in one transaction. False when the writer is to stop.
fn run_batch(
    database: &mut Database,
    first: Box<dyn Job>,
    receiver: &mut mpsc::Receiver<Message>,
    jobs_per_commit: usize,
) -> bool {
    if let Err(error) = database.control("BEGIN IMMEDIATE") {
        first.answer(Some(error));
        return true;
    }
    let mut batch = Batch {
        done: Vec::new(),
        broken: None,
    };
    let mut go_on = true;
    batch.run(database, first);
    while batch.broken.is_none() && batch.done.len() < jobs_per_commit {
        match receiver.try_recv() {
            Ok(Message::Job(job)) => batch.run(database, job),
            Ok(Message::Stop) => {
                go_on = false;
                break;
            }
            Err(_) => break,
        }
    }
    batch.finish(database);
    go_on
}

/// The jobs of one transaction.
struct Batch {
    /// Each job that ran, and the failure it is answered with if not with its own outcome.
    done: Vec<(Box<dyn Job>, Option<StoreError>)>,
    /// The transaction itself is lost, and every job with it.
    broken: Option<StoreError>,
}

impl Batch {
    fn run(&mut self, database: &mut Database, mut job: Box<dyn Job>) {
        if job.abandoned() {
            return;
        }
        if let Err(error) = database.control("SAVEPOINT job") {
            self.broken = Some(again(&error));
            self.done.push((job, Some(error)));
            return;
        }
        let ran = catch_unwind(AssertUnwindSafe(|| job.run(&mut database.session())));
        let (keep, failure) = match ran {
            Ok(keep) => (keep, None),
            Err(_) => (false, Some(StoreError::Engine("a write panicked".into()))),
        };
        self.done.push((job, failure));
        if database.connection.is_autocommit() {
            // A full disk and the like roll the whole transaction back.
            self.broken = Some(StoreError::Unavailable(
                "the transaction was rolled back by the engine".into(),
            ));
            return;
        }
        let undone = if keep {
            Ok(())
        } else {
            database.control("ROLLBACK TO job")
        };
        if let Err(error) = undone.and_then(|()| database.control("RELEASE job")) {
            self.broken = Some(error);
        }
    }

    fn finish(mut self, database: &Database) {
        if self.broken.is_none()
            && let Err(error) = database.control("COMMIT")
        {
            self.broken = Some(error);
        }
        if let Some(error) = &self.broken {
            tracing::error!(%error, jobs = self.done.len(), "a transaction was lost");
            if !database.connection.is_autocommit()
                && let Err(error) = database.control("ROLLBACK")
            {
                tracing::error!(%error, "a transaction could not be rolled back");
            }
        }
        for (job, failure) in self.done {
            let failure = self.broken.as_ref().map(again).or(failure);
            job.answer(failure);
        }
    }
}
