//! Connections that read: opened when first needed, kept, and handed out one unit of work at a time.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connect::{Connect, Connection, Work};
use super::{StoreError, StoreOptions};

/// Readers that long work leaves to the rest: otherwise look-ups and short lists would wait for as long as a
/// statement may run.
const RESERVED_FOR_SHORT: usize = 4;
/// How many of these brief work leaves to look-ups: some of it turns out to be long, which takes a while to
/// notice.
const RESERVED_FOR_POINT: usize = 1;

/// How many of so many readers work of any size may use at one time.
pub fn readers_for_long_work(readers: usize) -> usize {
    readers.saturating_sub(RESERVED_FOR_SHORT).max(1)
}

/// How many of so many readers brief and long work may use together: more than long work alone, if there are
/// any more.
fn readers_for_brief_work(readers: usize) -> usize {
    readers
        .saturating_sub(RESERVED_FOR_POINT)
        .max(readers_for_long_work(readers) + 1)
        .min(readers)
}

/// The readers of one database, and the connection for control work.
pub(super) struct Pool<E: Connect> {
    engine: Arc<E>,
    options: StoreOptions,
    idle: Mutex<Idle<E::Connection>>,
    /// Nested permits: for long work; for long and brief work; for all work but control. Long work takes one
    /// of each, in this order, brief work one of the last two, look-ups one of the last. So long work can
    /// never use the readers that are reserved for the others, nor brief work those for look-ups.
    gates: [Arc<Semaphore>; 3],
    /// For control work, whose one connection is not among the readers: whatever these do, it goes on.
    control: Arc<Semaphore>,
}

/// Connections at rest.
struct Idle<C> {
    control: Vec<C>,
    short: Vec<C>,
    long: Vec<C>,
}

impl<C> Default for Idle<C> {
    fn default() -> Self {
        Idle {
            control: Vec::new(),
            short: Vec::new(),
            long: Vec::new(),
        }
    }
}

impl<C> Idle<C> {
    /// Those for this work. In this process long work has readers of its own, as it would push what the
    /// others need out of their caches.
    fn of<E: Connect>(&mut self, work: Work) -> &mut Vec<C> {
        match work {
            Work::Control => &mut self.control,
            Work::Long if E::IN_PROCESS => &mut self.long,
            Work::Point | Work::Brief | Work::Long => &mut self.short,
        }
    }
}

impl<E: Connect> Pool<E> {
    pub(super) fn new(engine: Arc<E>, options: StoreOptions) -> Self {
        let readers = options.readers;
        let gates = [
            readers_for_long_work(readers),
            readers_for_brief_work(readers),
            readers,
        ];
        Pool {
            engine,
            options,
            idle: Mutex::default(),
            gates: gates.map(|permits| Arc::new(Semaphore::new(permits))),
            control: Arc::new(Semaphore::new(1)),
        }
    }

    /// The semaphores that this work takes a permit of.
    fn gates(&self, work: Work) -> &[Arc<Semaphore>] {
        match work {
            Work::Control => std::slice::from_ref(&self.control),
            Work::Point => &self.gates[2..],
            Work::Brief => &self.gates[1..],
            Work::Long => &self.gates,
        }
    }

    /// Leave to use a reader; waits while as many are out as may be at one time, for as long as the options
    /// allow.
    pub(super) async fn turn(self: &Arc<Self>, work: Work) -> Result<Turn<E>, StoreError> {
        if let Some(turn) = self.turn_now(work) {
            return Ok(turn);
        }
        let wait = self.options.reader_wait;
        let waited = tokio::time::timeout(wait, async {
            let mut permits = Permits::default();
            for (permit, gate) in permits.iter_mut().zip(self.gates(work)) {
                let acquired = Arc::clone(gate).acquire_owned().await;
                *permit = Some(
                    acquired.map_err(|_| StoreError::Unavailable("the store is closed".into()))?,
                );
            }
            Ok(permits)
        });
        match waited.await {
            Ok(permits) => permits.map(|permits| self.give(work, permits)),
            Err(_) => Err(StoreError::Unavailable(format!(
                "all connections for work of the kind {work:?} were in use for {wait:?}"
            ))),
        }
    }

    /// The same, if it may be had without waiting.
    pub(super) fn turn_now(self: &Arc<Self>, work: Work) -> Option<Turn<E>> {
        let mut permits = Permits::default();
        for (permit, gate) in permits.iter_mut().zip(self.gates(work)) {
            *permit = Some(Arc::clone(gate).try_acquire_owned().ok()?);
        }
        Some(self.give(work, permits))
    }

    /// What the readers are opened to.
    pub(super) fn engine(&self) -> &E {
        &self.engine
    }

    /// How the readers are run.
    pub(super) fn options(&self) -> &StoreOptions {
        &self.options
    }

    fn give(self: &Arc<Self>, work: Work, permits: Permits) -> Turn<E> {
        Turn {
            pool: Arc::clone(self),
            work,
            _permits: permits,
        }
    }

    /// Hands out no more readers, and closes those at rest.
    pub(super) fn close(&self) {
        for gate in self.gates.iter().chain([&self.control]) {
            gate.close();
        }
        *self.idle() = Idle::default();
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Idle<E::Connection>> {
        // Each list is whole after every push and pop, so a panic elsewhere leaves nothing to mend.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of each gate that was passed.
type Permits = [Option<OwnedSemaphorePermit>; 3];

/// Leave to use one reader.
pub(super) struct Turn<E: Connect> {
    pool: Arc<Pool<E>>,
    work: Work,
    _permits: Permits,
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
        // A panic may have left a snapshot open, which would hold back the log for ever: close that
        // connection.
        if std::thread::panicking() || pool.control.is_closed() {
            return;
        }
        if let Some(connection) = self.connection.take()
            && !connection.is_lost()
        {
            pool.idle().of::<E>(self.turn.work).push(connection);
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
            (long, readers_for_brief_work(readers), readers)
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
