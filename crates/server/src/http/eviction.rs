//! Which connection is closed to make space for another.
//!
//! A connection waits from when it is accepted, or its last answer was completely sent, until the head of a
//! request is complete. Two kinds may be closed, each once it has a minimum age, the oldest first:
//!
//! 1. *Idle* ones, which wait for another request after an answer. The minimum age is short: the next request
//!    may have arrived and not be read yet.
//! 2. Those of an *unknown* client: they have had no request yet, perhaps not even their TLS handshake, or
//!    their request is one without a valid token or secret, or not checked yet. The age is that of the
//!    connection or of the request.
//!
//! A request of a known client is never closed to make space: it has limits of its own.
//!
//! Each request changes the state of its connection three times, and the queue is needed only when all
//! connections are in use. So a change is one atomic operation on memory of the connection, and the queue
//! looks at all connections when it must choose. This module does not know what a request means.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::telemetry::Evictions;

/// How long a connection must have waited for another request before it is closed to make space.
const MIN_IDLE_AGE: Duration = Duration::from_millis(100);
/// How old a connection without a request, or a request of an unknown client, must be before the connection
/// is closed to make space. Most requests are answered long before, and a new connection can wait that long.
const MIN_UNKNOWN_AGE: Duration = Duration::from_secs(1);

/// The connections of a listener.
pub(crate) struct EvictionQueue {
    /// Ages count from here.
    epoch: Instant,
    connections: Mutex<Connections>,
    evictions: Evictions,
}

#[derive(Default)]
struct Connections {
    last_id: u64,
    all: BTreeMap<u64, Arc<State>>,
    /// Those that could be closed at the last look, in the order in which to close them.
    eligible: VecDeque<(u64, Arc<State>)>,
    last_look: Option<Instant>,
}

/// What a connection does now, and since when: microseconds since the epoch of its queue, and a kind.
struct State {
    packed: AtomicU64,
    closing: Notify,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It waits for another request.
    Idle = 0,
    /// It has had no request yet, or has one of an unknown client.
    Unknown = 1,
    /// It has a request of a known client, or its answer is being sent.
    Known = 2,
    /// It was chosen to be closed.
    Chosen = 3,
}

/// The place of one connection in its queue, until it is dropped.
pub(crate) struct EvictionEntry {
    queue: Arc<EvictionQueue>,
    id: u64,
    state: Arc<State>,
}

/// What may be closed.
enum Choice {
    Closed,
    /// Nothing before this time.
    NotBefore(Instant),
}

impl EvictionQueue {
    /// An empty queue that counts what it closes.
    pub(crate) fn new(evictions: Evictions) -> Self {
        Self {
            epoch: Instant::now(),
            connections: Mutex::default(),
            evictions,
        }
    }

    /// Adds a new connection, which waits for its first request.
    pub(super) fn add(self: &Arc<Self>) -> EvictionEntry {
        let state = Arc::new(State {
            packed: AtomicU64::new(self.pack(Kind::Unknown)),
            closing: Notify::new(),
        });
        let mut connections = self.connections();
        connections.last_id += 1;
        let id = connections.last_id;
        connections.all.insert(id, Arc::clone(&state));
        drop(connections);
        EvictionEntry {
            queue: Arc::clone(self),
            id,
            state,
        }
    }

    /// Closes one connection, as soon as there is one that may be closed. Cancel-safe.
    pub(crate) async fn close_one(&self) {
        while let Choice::NotBefore(time) = self.choose() {
            sleep_until(time).await;
        }
    }

    /// The same, if there is one now.
    pub(crate) fn try_close_one(&self) -> bool {
        matches!(self.choose(), Choice::Closed)
    }

    fn choose(&self) -> Choice {
        let mut connections = self.connections();
        let now = Instant::now();
        // The order holds for a while: a connection whose state has changed is younger than the others. Then
        // another idle one may have become old enough.
        let is_recent = connections
            .last_look
            .is_some_and(|look| now - look < MIN_IDLE_AGE);
        if is_recent && self.close_first(&mut connections.eligible) {
            return Choice::Closed;
        }
        connections.last_look = Some(now);
        // A connection that begins to wait now may be closed after the shorter age.
        let mut next = now + MIN_IDLE_AGE;
        let (mut idle, mut unknown) = (Vec::new(), Vec::new());
        for state in connections.all.values() {
            let packed = state.packed.load(Ordering::Acquire);
            let (of_kind, min_age) = match Kind::of(packed) {
                Kind::Idle => (&mut idle, MIN_IDLE_AGE),
                Kind::Unknown => (&mut unknown, MIN_UNKNOWN_AGE),
                Kind::Known | Kind::Chosen => continue,
            };
            let time = self.since(packed) + min_age;
            if time <= now {
                of_kind.push((packed, Arc::clone(state)));
            } else {
                next = next.min(time);
            }
        }
        for of_kind in [&mut idle, &mut unknown] {
            of_kind.sort_unstable_by_key(|(packed, _)| *packed);
        }
        connections.eligible = idle.into_iter().chain(unknown).collect();
        match self.close_first(&mut connections.eligible) {
            true => Choice::Closed,
            false => Choice::NotBefore(next),
        }
    }

    /// Closes the first of these connections that is still in the state in which it was seen.
    fn close_first(&self, eligible: &mut VecDeque<(u64, Arc<State>)>) -> bool {
        while let Some((seen, state)) = eligible.pop_front() {
            if !state.replace(seen, Kind::Chosen as u64) {
                continue;
            }
            state.closing.notify_one();
            match Kind::of(seen) {
                Kind::Idle => self.evictions.idle.inc(),
                _ => self.evictions.unknown.inc(),
            };
            return true;
        }
        false
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        // Each change is complete in itself, so a panic of another thread leaves the state valid.
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// This kind, since now.
    fn pack(&self, kind: Kind) -> u64 {
        let age = u64::try_from(self.epoch.elapsed().as_micros()).unwrap_or(u64::MAX);
        age << 2 | kind as u64
    }

    fn since(&self, packed: u64) -> Instant {
        self.epoch + Duration::from_micros(packed >> 2)
    }
}

impl Kind {
    fn of(packed: u64) -> Self {
        match packed & 3 {
            0 => Self::Idle,
            1 => Self::Unknown,
            2 => Self::Known,
            _ => Self::Chosen,
        }
    }
}

impl State {
    fn replace(&self, seen: u64, new: u64) -> bool {
        self.packed
            .compare_exchange(seen, new, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }
}

impl EvictionEntry {
    /// A request has arrived, of a client that is not known yet. A pipelined one keeps the age of the one
    /// before it if that was of an unknown client. Returns `false` if the connection was already chosen to be
    /// closed and must not answer.
    pub(super) fn begin_request(&self, is_pipelined: bool) -> bool {
        let kind = Kind::of(self.state.packed.load(Ordering::Acquire));
        match is_pipelined && kind == Kind::Unknown {
            true => true,
            false => self.set(Kind::Unknown),
        }
    }

    /// The client of the request in flight is known. Returns `false` as [`Self::begin_request`] does.
    pub(super) fn mark_known(&self) -> bool {
        self.set(Kind::Known)
    }

    /// The connection waits for another request.
    pub(super) fn mark_idle(&self) {
        self.set(Kind::Idle);
    }

    /// Completes when the connection is chosen to be closed.
    pub(super) async fn closing(&self) {
        self.state.closing.notified().await;
    }

    /// Only the connection itself and its choice change the state, so a failure means that it was chosen.
    fn set(&self, kind: Kind) -> bool {
        let seen = self.state.packed.load(Ordering::Acquire);
        Kind::of(seen) != Kind::Chosen && self.state.replace(seen, self.queue.pack(kind))
    }
}

impl Drop for EvictionEntry {
    fn drop(&mut self) {
        self.queue.connections().all.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_new_connection_is_not_closed_yet() {
        let queue = queue();
        let begun = Instant::now();
        let connection = queue.add();
        assert!(!queue.try_close_one());
        queue.close_one().await;
        connection.closing().await;
        assert!(begun.elapsed() >= MIN_UNKNOWN_AGE);
        assert!(!connection.begin_request(false), "it was chosen");
        assert!(!queue.try_close_one(), "it is closed once");
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_connection_is_closed_before_an_older_one_without_a_request() {
        let queue = queue();
        let (new, idle) = (queue.add(), queue.add());
        assert!(idle.begin_request(false));
        idle.mark_idle();
        queue.close_one().await;
        assert!(!idle.begin_request(false), "it was chosen");
        assert!(new.begin_request(false), "it was not");
        let Evictions { idle, unknown } = &queue.evictions;
        assert_eq!((idle.get(), unknown.get()), (1, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_is_closed_first_and_one_that_became_busy_is_not() {
        let queue = queue();
        let mut entries = Vec::new();
        for _ in 0..4 {
            entries.push(queue.add());
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert!(entries[0].begin_request(false) && entries[0].mark_known());
        tokio::time::advance(MIN_UNKNOWN_AGE).await;
        assert!(queue.try_close_one());
        assert!(!entries[1].mark_known(), "the oldest that may be closed");
        // It was eligible when the queue looked, and has a request of a known client since.
        assert!(entries[2].begin_request(false) && entries[2].mark_known());
        assert!(queue.try_close_one());
        assert!(!entries[3].mark_known());
        assert!(
            !queue.try_close_one(),
            "both others have requests of known clients"
        );
        assert!(entries[0].mark_known() && entries[2].mark_known());
    }

    #[tokio::test(start_paused = true)]
    async fn a_pipelined_request_of_an_unknown_client_keeps_the_age_of_the_one_before() {
        let queue = queue();
        let entry = queue.add();
        assert!(entry.begin_request(false));
        tokio::time::advance(MIN_UNKNOWN_AGE).await;
        assert!(entry.begin_request(true));
        assert!(queue.try_close_one());
    }

    fn queue() -> Arc<EvictionQueue> {
        Arc::new(EvictionQueue::new(Evictions::default()))
    }
}
