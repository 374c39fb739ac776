//! The connections for pipelined look-ups, opened when look-ups come.
//!
//! They are an addition to the readers, and never a reason to fail: a look-up without a slot, or that fails
//! on one, runs on a reader, which also finds the error to return.

use std::num::NonZero;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use super::pipeline::{Pipeline, Slot};
use super::server::Server;
use crate::{Row, StoreError, Value};

/// Most connections. Each is a process of the server, which answers one look-up after another.
const MAX_CONNECTIONS: usize = 4;
/// Look-ups before the first connection is opened: few of them are no reason to hold one.
pub(super) const LOOK_UPS_BEFORE_FIRST: usize = 64;
/// Look-ups on each connection before another one is opened.
const IN_FLIGHT_BEFORE_NEXT: usize = 32;
/// Most look-ups on one connection; more of them use the readers, which have a queue with a time limit.
pub(super) const MAX_IN_FLIGHT: usize = 128;
/// The answers after which a connection was worth opening, also if it then ends.
const USEFUL_ANSWERS: usize = 1_000;
/// How long after a failure no connection is opened: look-ups use the readers meanwhile.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
/// The same after many failures, as of a server that is far away or slow.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// The connections to one server.
pub(super) struct Pipelines {
    server: Arc<Server>,
    max_connections: usize,
    state: Mutex<State>,
}

struct State {
    open: Vec<Arc<Pipeline>>,
    /// How many look-ups were asked for.
    look_ups: usize,
    /// Whether a connection is being opened.
    is_opening: bool,
    /// Until when none is opened.
    paused_until: Option<Instant>,
    /// The last pause.
    pause: Duration,
    is_closed: bool,
}

impl Pipelines {
    /// Without a connection.
    pub(super) fn new(server: Arc<Server>) -> Arc<Self> {
        let processors = available_parallelism().map_or(1, NonZero::get);
        Arc::new(Pipelines {
            max_connections: MAX_CONNECTIONS
                .min(processors)
                .min(server.options().readers),
            server,
            state: Mutex::new(State {
                open: Vec::new(),
                look_ups: 0,
                is_opening: false,
                paused_until: None,
                pause: Duration::ZERO,
                is_closed: false,
            }),
        })
    }

    /// The first row of a statement with this key, mapped. `None` when no connection can answer now.
    pub(super) async fn first<T>(
        self: &Arc<Self>,
        sql: &'static str,
        key: Value<'_>,
        map: impl Fn(&dyn Row) -> Result<T, StoreError>,
    ) -> Option<Option<T>> {
        let found = self.slot(sql)?.first(key, map).await;
        found
            .inspect_err(|error| tracing::debug!(%error, "a look-up is repeated on a reader"))
            .ok()
    }

    /// Ends all connections; none is opened any more.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.open.clear();
    }

    /// A slot on the connection with the fewest look-ups. Opens another connection if they have many.
    fn slot(self: &Arc<Self>, sql: &'static str) -> Option<Slot> {
        let mut state = self.state();
        state.look_ups = state.look_ups.saturating_add(1);
        state.open.retain(|it| it.is_current(&self.server));
        if let Some(ended) = state.open.iter().position(|it| it.is_closed()) {
            let ended = state.open.swap_remove(ended);
            state.pause_after(ended.answered());
            tracing::info!(
                reason = ended.reason(),
                "a connection for look-ups by id has ended"
            );
        }
        let least = state.open.iter().min_by_key(|it| it.in_flight());
        let in_flight = least.map_or(usize::MAX, |it| it.in_flight());
        let slot = least
            .filter(|_| in_flight < MAX_IN_FLIGHT)
            .and_then(|it| it.slot(sql));
        if in_flight >= IN_FLIGHT_BEFORE_NEXT && state.may_open(self.max_connections) {
            state.is_opening = true;
            drop(state);
            self.open();
        }
        slot
    }

    /// Opens a connection in the background.
    fn open(self: &Arc<Self>) {
        let opening = Opening(Arc::clone(self));
        tokio::spawn(async move {
            let pipelines = &opening.0;
            let answer_timeout = pipelines.server.options().look_up_wait;
            let opened = Pipeline::open(&pipelines.server, answer_timeout).await;
            let mut state = pipelines.state();
            match opened {
                Ok(pipeline) if !state.is_closed => state.open.push(pipeline),
                Ok(_) => {}
                Err(error) => {
                    state.pause_after(0);
                    drop(state);
                    tracing::info!(%error, "no connection for look-ups by id can be opened");
                }
            }
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Consistent after each change, so a poisoned lock is safe to use.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends with the attempt to open a connection, also with that of a runtime that is shut down.
struct Opening(Arc<Pipelines>);

impl Drop for Opening {
    fn drop(&mut self) {
        self.0.state().is_opening = false;
    }
}

impl State {
    /// Opens no connection for a while, after one with so many answers has ended.
    fn pause_after(&mut self, answered: usize) {
        // Several may end for one reason.
        if self.is_paused() {
            return;
        }
        self.pause = if answered >= USEFUL_ANSWERS {
            SHORTEST_PAUSE
        } else {
            (2 * self.pause).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
        };
        self.paused_until = Some(Instant::now() + self.pause);
    }

    fn may_open(&self, max_connections: usize) -> bool {
        self.look_ups > LOOK_UPS_BEFORE_FIRST
            && self.open.len() < max_connections
            && !(self.is_closed || self.is_opening || self.is_paused())
    }

    fn is_paused(&self) -> bool {
        self.paused_until
            .is_some_and(|until| Instant::now() < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_become_longer_until_a_connection_is_of_use() {
        let mut state = State {
            open: Vec::new(),
            look_ups: 0,
            is_opening: false,
            paused_until: None,
            pause: Duration::ZERO,
            is_closed: false,
        };
        let answered = [0, 1, 999, 0, 0, 1_000, 0, 90_000, 0];
        let pauses = answered.map(|answered| {
            state.paused_until = None;
            state.pause_after(answered);
            assert!(state.is_paused());
            state.pause_after(0);
            state.pause.as_secs()
        });
        assert_eq!(pauses, [1, 2, 4, 8, 8, 1, 2, 1, 2]);
    }
}
