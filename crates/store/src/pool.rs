//! Pool of connections that read: opened when first needed, reused, and leased for one unit of work at a
//! time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use super::connect::{Connect, Connection, Work};
use super::fair_queue::{Client, ClientLimits, FairPermit, FairQueue};
use super::timings::ReaderWaits;
use super::{StoreError, StoreOptions};

/// Readers reserved for look-ups and short work, which would otherwise wait for as long as a statement may
/// run.
const RESERVED_FOR_SHORT: usize = 4;
/// How many of these are reserved for look-ups: some short work turns out to be long, which is only known
/// after a while.
const RESERVED_FOR_POINT: usize = 1;

/// How many of the readers long work may use at one time.
pub fn readers_for_long_work(readers: usize) -> usize {
    readers.saturating_sub(RESERVED_FOR_SHORT).max(1)
}

/// How many of the readers short and long work may use together: more than long work alone, if there are any
/// more.
fn readers_for_short_work(readers: usize) -> usize {
    readers
        .saturating_sub(RESERVED_FOR_POINT)
        .max(readers_for_long_work(readers) + 1)
        .min(readers)
}

/// How long a pool that is closed waits for the connections in use.
const CLOSE_WAIT: Duration = Duration::from_secs(1);

/// The readers of one database, and the connections for the poll and for control work.
pub(super) struct Pool<E: Connect> {
    /// Declared before the engine, and dropped first: see [`Connect`].
    idle: Mutex<Idle<E::Connection>>,
    engine: Arc<E>,
    options: StoreOptions,
    /// Permits for long work, which clients share.
    long: Arc<FairQueue>,
    /// Permits to wait for a reader for short work: the semaphores below serve their waiters one after the
    /// other, so a client must not fill them. Only work that has to wait takes one.
    short_waits: Arc<FairQueue>,
    /// Nested semaphores: for long and short work; for all work of the readers. Long work takes a permit of
    /// each, in this order, after that for long work; look-ups take one of the last. So long work never uses
    /// the readers that are reserved for the others, nor short work those for look-ups.
    gates: [Arc<Semaphore>; 2],
    /// For the poll and for control work, whose connections are not among the readers: neither waits for
    /// them, nor the poll for the requests of callers without a token.
    poll: Arc<Semaphore>,
    control: Arc<Semaphore>,
    waits: ReaderWaits,
}

/// Idle connections.
struct Idle<C> {
    poll: Vec<C>,
    control: Vec<C>,
    short: Vec<C>,
    long: Vec<C>,
}

impl<C> Default for Idle<C> {
    fn default() -> Self {
        Idle {
            poll: Vec::new(),
            control: Vec::new(),
            short: Vec::new(),
            long: Vec::new(),
        }
    }
}

impl<C> Idle<C> {
    /// The idle connections for this work. In this process long work has separate readers, as it would evict
    /// the pages of the others from their caches.
    fn of<E: Connect>(&mut self, work: Work) -> &mut Vec<C> {
        match work {
            Work::Poll => &mut self.poll,
            Work::Control => &mut self.control,
            Work::Long if E::IN_PROCESS => &mut self.long,
            Work::Point | Work::Short | Work::Long => &mut self.short,
        }
    }
}

impl<E: Connect> Pool<E> {
    pub(super) fn new(engine: Arc<E>, options: StoreOptions) -> Self {
        let readers = options.readers;
        let shared = |permits, most, parallel| {
            let limits = ClientLimits {
                most,
                share_percent: options.client_share,
                parallel,
                wait: options.reader_wait,
            };
            Arc::new(FairQueue::new(permits, limits))
        };
        // A client may have two long reads for each processor, by default.
        let parallel = (options.client_share < 100).then_some(options.client_reads / 2);
        let gates = [readers_for_short_work(readers), readers];
        Pool {
            idle: Mutex::default(),
            engine,
            long: shared(
                readers_for_long_work(readers),
                options.client_reads,
                parallel,
            ),
            short_waits: shared(readers_for_short_work(readers), usize::MAX, None),
            options,
            gates: gates.map(|permits| Arc::new(Semaphore::new(permits))),
            poll: Arc::new(Semaphore::new(1)),
            control: Arc::new(Semaphore::new(1)),
            waits: ReaderWaits::default(),
        }
    }

    /// The semaphores that this work takes a permit of.
    fn gates(&self, work: Work) -> &[Arc<Semaphore>] {
        match work {
            Work::Poll => std::slice::from_ref(&self.poll),
            Work::Control => std::slice::from_ref(&self.control),
            Work::Point => &self.gates[1..],
            Work::Short | Work::Long => &self.gates,
        }
    }

    /// Acquires a permit for a reader; waits for one as long as the options allow.
    pub(super) async fn permit(
        self: &Arc<Self>,
        work: Work,
        client: &Client,
    ) -> Result<Permit<E>, StoreError> {
        if let Some(permit) = self.try_permit(work, client) {
            return Ok(permit);
        }
        let queue = match work {
            Work::Long => Some(&self.long),
            Work::Short => Some(&self.short_waits),
            Work::Point | Work::Poll | Work::Control => None,
        };
        let wait = queue.map_or(self.options.reader_wait, |queue| queue.time_to_wait(client));
        let begun = Instant::now();
        let waited = tokio::time::timeout(wait, self.wait_for_permits(work, client, queue)).await;
        self.waits.of(work).observe(begun.elapsed());
        match waited {
            Ok(permits) => {
                let closed = || StoreError::Unavailable("the store is closed".into());
                Ok(self.issue(work, permits.ok_or_else(closed)?))
            }
            Err(_) => Err(StoreError::Unavailable(format!(
                "all connections for work of the kind {work:?} were in use for {wait:?}"
            ))),
        }
    }

    /// Waits until a permit of each kind is free; `None` once the pool is closed.
    async fn wait_for_permits(
        &self,
        work: Work,
        client: &Client,
        queue: Option<&Arc<FairQueue>>,
    ) -> Option<Permits> {
        let shared = match queue {
            Some(queue) => Some(queue.acquire_with_recheck(client).await?),
            None => None,
        };
        let mut permits = Permits::default();
        for (permit, gate) in permits.gates.iter_mut().zip(self.gates(work)) {
            *permit = Some(Arc::clone(gate).acquire_owned().await.ok()?);
        }
        permits.long = shared.filter(|_| work == Work::Long);
        Some(permits)
    }

    /// The same, if one is available without waiting.
    pub(super) fn try_permit(self: &Arc<Self>, work: Work, client: &Client) -> Option<Permit<E>> {
        let mut permits = Permits::default();
        if work == Work::Long {
            permits.long = Some(self.long.try_acquire(client)?);
        }
        for (permit, gate) in permits.gates.iter_mut().zip(self.gates(work)) {
            *permit = Some(Arc::clone(gate).try_acquire_owned().ok()?);
        }
        Some(self.issue(work, permits))
    }

    /// A permit for long work, if no client uses or awaits one.
    pub(super) fn try_long_permit_if_idle(self: &Arc<Self>, client: &Client) -> Option<Permit<E>> {
        // Two requests at the same moment may both get one, which does no harm.
        if self.long.is_in_use() {
            return None;
        }
        self.try_permit(Work::Long, client)
    }

    /// Whether long work waits for a reader.
    pub(super) fn is_awaited(&self) -> bool {
        self.long.is_awaited()
    }

    /// The engine.
    pub(super) fn engine(&self) -> &E {
        &self.engine
    }

    /// How long work waited for readers.
    pub(super) fn waits(&self) -> &ReaderWaits {
        &self.waits
    }

    /// The options.
    pub(super) fn options(&self) -> &StoreOptions {
        &self.options
    }

    fn issue(self: &Arc<Self>, work: Work, permits: Permits) -> Permit<E> {
        Permit {
            pool: Arc::clone(self),
            work,
            _permits: permits,
        }
    }

    /// Waits a moment for the connections in use, then closes the pool and its idle connections.
    pub(super) async fn close(&self) {
        self.long.close();
        self.short_waits.close();
        // The last connection that closes completes the file of SQLite, so none should be left to the end of
        // the process.
        let all = [
            (&self.gates[1], self.options.readers),
            (&self.poll, 1),
            (&self.control, 1),
        ];
        let returned = async {
            for (gate, permits) in all {
                let permits = u32::try_from(permits).unwrap_or(u32::MAX);
                // It fails only if the pool is closed already.
                let _ = gate
                    .acquire_many(permits)
                    .await
                    .map(SemaphorePermit::forget);
            }
        };
        let _ = tokio::time::timeout(CLOSE_WAIT, returned).await;
        for gate in self.gates.iter().chain([&self.poll, &self.control]) {
            gate.close();
        }
        *self.idle() = Idle::default();
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Idle<E::Connection>> {
        // A push or pop cannot leave a list inconsistent, so a poisoned lock is safe to use.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permits that a kind of work takes.
#[derive(Default)]
struct Permits {
    long: Option<FairPermit>,
    gates: [Option<OwnedSemaphorePermit>; 2],
}

/// A permit to use one reader.
pub(super) struct Permit<E: Connect> {
    pool: Arc<Pool<E>>,
    work: Work,
    _permits: Permits,
}

impl<E: Connect> Permit<E> {
    /// Leases a reader; opens one if none is idle, which blocks for an engine outside of this process.
    pub(super) fn reader(self) -> Result<Lease<E>, StoreError> {
        // The last one returned comes first: its cache is warm.
        let idle = self.pool.idle().of::<E>(self.work).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.pool.engine.reader(self.work)?,
        };
        Ok(Lease {
            connection: Some(connection),
            permit: self,
        })
    }
}

/// A leased reader.
pub(super) struct Lease<E: Connect> {
    /// `None` once the connection must not be reused.
    connection: Option<E::Connection>,
    permit: Permit<E>,
}

impl<E: Connect> Lease<E> {
    /// The connection.
    pub(super) fn connection(&mut self) -> &mut E::Connection {
        self.connection
            .as_mut()
            .expect("a lease holds its reader until `end` gives it up")
    }

    /// Closes the snapshot. A reader that fails to do so is not reused.
    pub(super) fn end(&mut self) {
        self.connection().set_caller(None);
        if self.connection().end_read().is_err() {
            self.connection = None;
        }
    }
}

impl<E: Connect> Drop for Lease<E> {
    fn drop(&mut self) {
        let pool = &self.permit.pool;
        // A panic may have left a snapshot open, which would block checkpoints of the log: close that
        // connection.
        if std::thread::panicking() || pool.control.is_closed() {
            return;
        }
        if let Some(mut connection) = self.connection.take()
            && !connection.is_lost()
        {
            connection.set_caller(None);
            pool.idle().of::<E>(self.permit.work).push(connection);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_work_has_readers_that_larger_work_cannot_use() {
        let shares = [1, 2, 3, 5, 6, 16].map(|readers| {
            let long = readers_for_long_work(readers);
            (long, readers_for_short_work(readers), readers)
        });
        let expected = [
            (1, 1, 1),
            (1, 2, 2),
            (1, 2, 3),
            (1, 4, 5),
            (2, 5, 6),
            (12, 15, 16),
        ];
        assert_eq!(shares, expected);
    }
}
