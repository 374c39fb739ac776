//! The connections for pipelined look-ups: opened when look-ups come, ended at the first sign that one waits.
//!
//! They are an addition to the readers, and never a reason to fail: a look-up without a place, or that fails
//! on one, runs on a reader, which also finds the error to return.

use std::num::NonZero;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use super::errors::Failure;
use super::pipeline::{Pipeline, Place};
use super::server::Server;
use crate::{Row, StoreError, Value};

/// Most connections. Each is a process of the server, which answers one look-up after another.
const MOST: usize = 4;
/// Look-ups on each connection before another one is opened.
const FEW: usize = 32;
/// Most look-ups on one connection; more of them use the readers, which have a queue with a time limit.
pub(super) const MOST_IN_FLIGHT: usize = 256;
/// How long a look-up may take: some hundred times what it usually takes.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_millis(50);
/// How long after a failure no connection is opened: look-ups use the readers meanwhile.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
/// The same after many failures, as of a server that is far away or slow.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// The connections to one server.
pub(super) struct Pipelines {
    server: Arc<Server>,
    most: usize,
    answer_timeout: Duration,
    state: Mutex<State>,
}

struct State {
    open: Vec<Arc<Pipeline>>,
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
    pub(super) fn new(server: Arc<Server>, readers: usize, answer_timeout: Duration) -> Arc<Self> {
        let processors = available_parallelism().map_or(1, NonZero::get);
        Arc::new(Pipelines {
            server,
            most: MOST.min(processors).min(readers),
            answer_timeout,
            state: Mutex::new(State {
                open: Vec::new(),
                is_opening: false,
                paused_until: None,
                pause: Duration::ZERO,
                is_closed: false,
            }),
        })
    }

    /// The first row of a statement with this key, mapped. `None` when no connection can tell now.
    pub(super) async fn first<T>(
        self: &Arc<Self>,
        sql: &'static str,
        key: Value<'_>,
        map: impl Fn(&dyn Row) -> Result<T, StoreError>,
    ) -> Option<Option<T>> {
        let mut place = self.place()?;
        match place.first(sql, key, map).await {
            Ok(found) => Some(found),
            Err(failure) => {
                if is_of_connection(&failure) {
                    self.end(place.pipeline(), &failure.error);
                }
                None
            }
        }
    }

    /// Ends all connections; none is opened any more.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.open.clear();
    }

    /// A place on the connection with the fewest look-ups. Opens another connection if they have many.
    fn place(self: &Arc<Self>) -> Option<Place> {
        let mut state = self.state();
        state.open.retain(|it| it.is_current(&self.server));
        let least = state.open.iter().min_by_key(|it| it.in_flight());
        let in_flight = least.map_or(usize::MAX, |it| it.in_flight());
        let place = least
            .filter(|_| in_flight < MOST_IN_FLIGHT)
            .map(Pipeline::place);
        if in_flight >= FEW && state.may_open(self.most) {
            state.is_opening = true;
            drop(state);
            self.open();
        }
        place
    }

    /// Opens a connection in the background.
    fn open(self: &Arc<Self>) {
        let opening = Opening(Arc::clone(self));
        tokio::spawn(async move {
            let pipelines = &opening.0;
            let opened = Pipeline::open(&pipelines.server, pipelines.answer_timeout).await;
            let mut state = pipelines.state();
            match opened {
                Ok(pipeline) if !state.is_closed => state.open.push(pipeline),
                Ok(_) => {}
                Err(error) => {
                    let pause = state.pause_after(Duration::ZERO);
                    drop(state);
                    tracing::info!(%error, ?pause, "no connection for look-ups by id can be opened");
                }
            }
        });
    }

    /// Ends a connection, and opens none for a while.
    fn end(&self, pipeline: &Arc<Pipeline>, error: &StoreError) {
        pipeline.end();
        let mut state = self.state();
        let open = state.open.len();
        state.open.retain(|it| !Arc::ptr_eq(it, pipeline));
        // All its look-ups fail, and one of them is the first to say so.
        if state.open.len() < open {
            let pause = state.pause_after(pipeline.age());
            drop(state);
            tracing::info!(%error, ?pause, "a connection for look-ups by id was ended; readers take its place");
        }
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
    /// Opens no connection for a while, after one that was open for this long.
    fn pause_after(&mut self, age: Duration) -> Duration {
        self.pause = if age > self.pause {
            SHORTEST_PAUSE
        } else {
            (2 * self.pause).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
        };
        self.paused_until = Some(Instant::now() + self.pause);
        self.pause
    }

    fn may_open(&self, most: usize) -> bool {
        let is_paused = self
            .paused_until
            .is_some_and(|until| Instant::now() < until);
        !(self.is_closed || self.is_opening || is_paused) && self.open.len() < most
    }
}

/// Whether other look-ups on the connection may fail or wait, too.
fn is_of_connection(failure: &Failure) -> bool {
    failure.is_lost || failure.is_stale || matches!(failure.error, StoreError::Timeout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_become_longer_until_a_connection_is_open_for_longer_than_one() {
        let mut state = State {
            open: Vec::new(),
            is_opening: false,
            paused_until: None,
            pause: Duration::ZERO,
            is_closed: false,
        };
        let ages = [0.0, 0.05, 1.9, 1.9, 7.0, 7.0, 8.1, 0.9, 2.1];
        let pauses = ages.map(|age| state.pause_after(Duration::from_secs_f64(age)).as_secs());
        assert_eq!(pauses, [1, 2, 4, 8, 8, 8, 1, 2, 1]);
    }
}
