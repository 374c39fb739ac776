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
/// How long after a failure no connection is opened: look-ups use the readers meanwhile.
const PAUSE: Duration = Duration::from_secs(1);

/// The connections to one server.
pub(super) struct Pipelines {
    server: Arc<Server>,
    most: usize,
    state: Mutex<State>,
}

struct State {
    open: Vec<Arc<Pipeline>>,
    /// Whether a connection is being opened.
    is_opening: bool,
    /// Until when none is opened.
    paused_until: Option<Instant>,
    is_closed: bool,
}

impl Pipelines {
    /// Without a connection.
    pub(super) fn new(server: Arc<Server>, readers: usize) -> Arc<Self> {
        let processors = available_parallelism().map_or(1, NonZero::get);
        Arc::new(Pipelines {
            server,
            most: MOST.min(processors).min(readers),
            state: Mutex::new(State {
                open: Vec::new(),
                is_opening: false,
                paused_until: None,
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
        let place = self.place()?;
        match place.first(sql, key, map).await {
            Ok(found) => Some(found),
            Err(failure) => {
                tracing::debug!(error = %failure.error, "a look-up is repeated on a reader");
                if is_of_connection(&failure) {
                    self.end(place.pipeline());
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
        state.open.retain(|it| it.is_usable(&self.server));
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
            let opened = Pipeline::open(&opening.0.server).await;
            let mut state = opening.0.state();
            match opened {
                Ok(pipeline) if !state.is_closed => state.open.push(pipeline),
                Ok(_) => {}
                Err(error) => {
                    state.paused_until = Some(Instant::now() + PAUSE);
                    drop(state);
                    tracing::debug!(%error, "no connection for look-ups could be opened");
                }
            }
        });
    }

    /// Ends a connection, and opens none for a while.
    fn end(&self, pipeline: &Arc<Pipeline>) {
        pipeline.end();
        let mut state = self.state();
        let open = state.open.len();
        state.open.retain(|it| !Arc::ptr_eq(it, pipeline));
        // All its look-ups fail, and one of them is the first to say so.
        if state.open.len() < open {
            state.paused_until = Some(Instant::now() + PAUSE);
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
    fn may_open(&self, most: usize) -> bool {
        let is_paused = self
            .paused_until
            .is_some_and(|until| Instant::now() < until);
        !(self.is_closed || self.is_opening || is_paused) && self.open.len() < most
    }
}

/// Whether other look-ups on the connection may fail or wait, too.
fn is_of_connection(failure: &Failure) -> bool {
    failure.is_lost
        || failure.is_stale
        || matches!(
            failure.error,
            StoreError::Timeout | StoreError::Unavailable(_)
        )
}
