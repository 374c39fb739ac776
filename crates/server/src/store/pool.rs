//! Connections that read: opened when first needed, kept, and handed out one unit of work at a time.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connect::{Connect, Connection, Work};
use super::{StoreError, StoreOptions};

/// Readers that work of any size leaves to short work: were all of them out for as long as a statement may run, no look-up, no token and no sign of
/// readiness could be had.
const KEPT_FOR_SHORT: usize = 4;

/// How many of so many readers work of any size may use at one time.
pub(crate) fn readers_for_long_work(readers: usize) -> usize {
    readers.saturating_sub(KEPT_FOR_SHORT).max(1)
}

/// The readers of one database.
pub(super) struct Pool<E: Connect> {
    engine: Arc<E>,
    options: StoreOptions,
    idle: Mutex<Idle<E::Connection>>,
    permits: Arc<Semaphore>,
    /// Stands before `permits` for work of any size.
    long: Arc<Semaphore>,
}

/// Readers at rest.
struct Idle<C> {
    short: Vec<C>,
    long: Vec<C>,
}

impl<C> Default for Idle<C> {
    fn default() -> Self {
        Idle {
            short: Vec::new(),
            long: Vec::new(),
        }
    }
}

impl<C> Idle<C> {
    /// Those for this work. In this process they are kept apart, as long work would push what short work needs out of their caches.
    fn of<E: Connect>(&mut self, work: Work) -> &mut Vec<C> {
        if work == Work::Long && E::IN_PROCESS {
            &mut self.long
        } else {
            &mut self.short
        }
    }
}

impl<E: Connect> Pool<E> {
    pub(super) fn new(engine: Arc<E>, options: StoreOptions) -> Self {
        let permits = Arc::new(Semaphore::new(options.readers));
        let long = Arc::new(Semaphore::new(readers_for_long_work(options.readers)));
        Pool {
            engine,
            options,
            idle: Mutex::default(),
            permits,
            long,
        }
    }

    /// Leave to use a reader; waits while as many are out as may be at one time, for as long as the options allow.
    pub(super) async fn turn(self: &Arc<Self>, work: Work) -> Result<Turn<E>, StoreError> {
        if let Some(turn) = self.turn_now(work) {
            return Ok(turn);
        }
        let wait = self.options.reader_wait;
        let waited = tokio::time::timeout(wait, async {
            let long = match work {
                Work::Long => Some(permit(&self.long).await?),
                Work::Short => None,
            };
            Ok((permit(&self.permits).await?, long))
        });
        match waited.await {
            Ok(permits) => permits.map(|(permit, long)| self.give(work, permit, long)),
            Err(_) => Err(StoreError::Unavailable(format!(
                "all {} connections that read were in use for {wait:?}",
                self.options.readers
            ))),
        }
    }

    /// The same, if it may be had without waiting.
    pub(super) fn turn_now(self: &Arc<Self>, work: Work) -> Option<Turn<E>> {
        let long = match work {
            Work::Long => Some(Arc::clone(&self.long).try_acquire_owned().ok()?),
            Work::Short => None,
        };
        let permit = Arc::clone(&self.permits).try_acquire_owned().ok()?;
        Some(self.give(work, permit, long))
    }

    /// What the readers are opened to.
    pub(super) fn engine(&self) -> &E {
        &self.engine
    }

    /// How the readers are run.
    pub(super) fn options(&self) -> &StoreOptions {
        &self.options
    }

    fn give(
        self: &Arc<Self>,
        work: Work,
        permit: OwnedSemaphorePermit,
        long: Option<OwnedSemaphorePermit>,
    ) -> Turn<E> {
        Turn {
            pool: Arc::clone(self),
            work,
            _permits: (permit, long),
        }
    }

    /// Hands out no more readers, and closes those at rest.
    pub(super) fn close(&self) {
        self.long.close();
        self.permits.close();
        *self.idle() = Idle::default();
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Idle<E::Connection>> {
        // Each list is whole after every push and pop, so a panic elsewhere leaves nothing to mend.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn permit(of: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, StoreError> {
    Arc::clone(of)
        .acquire_owned()
        .await
        .map_err(|_| StoreError::Unavailable("the store is closed".into()))
}

/// Leave to use one reader.
pub(super) struct Turn<E: Connect> {
    pool: Arc<Pool<E>>,
    work: Work,
    _permits: (OwnedSemaphorePermit, Option<OwnedSemaphorePermit>),
}

impl<E: Connect> Turn<E> {
    /// The reader; opens one if none is at rest, which blocks for an engine outside of this process.
    pub(super) fn reader(self) -> Result<Lease<E>, StoreError> {
        // The last one given back comes first: its cache is warm, and the others' may leave memory.
        let idle = self.pool.idle().of::<E>(self.work).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.pool.engine.reader(self.work)?,
        };
        Ok(Lease {
            connection: Some(connection),
            turn: self,
        })
    }
}

/// A reader on loan.
pub(super) struct Lease<E: Connect> {
    /// `None` once the connection must not go back.
    connection: Option<E::Connection>,
    turn: Turn<E>,
}

impl<E: Connect> Lease<E> {
    /// The connection.
    pub(super) fn connection(&mut self) -> &mut E::Connection {
        self.connection
            .as_mut()
            .expect("a lease holds its reader until `end` gives it up")
    }

    /// Closes the snapshot. A reader that cannot do that is not used again.
    pub(super) fn end(&mut self) {
        if self.connection().end_read().is_err() {
            self.connection = None;
        }
    }
}

impl<E: Connect> Drop for Lease<E> {
    fn drop(&mut self) {
        let pool = &self.turn.pool;
        // A panic may have left a snapshot open, which would hold back the log for ever: close that connection.
        if std::thread::panicking() || pool.permits.is_closed() {
            return;
        }
        if let Some(connection) = self.connection.take()
            && !connection.is_lost()
        {
            pool.idle().of::<E>(self.turn.work).push(connection);
        }
    }
}
