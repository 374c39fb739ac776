//! A connection on which look-ups of many requests are pipelined, without a thread that waits for each.
//!
//! A task of the runtime drives it. Each look-up is a statement by primary key in a transaction of its own,
//! and answers come in the order of the look-ups. So none may wait: the first one without an answer in time
//! ends the connection. Whoever asked uses a reader then.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::TryStreamExt as _;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_postgres::{Client, Statement};

use super::errors::Failure;
use super::placeholders::numbered;
use super::server::{Origin, Server};
use super::values::{Bound, Columns};
use crate::{Row, StoreError, Value};

/// When the server ends a statement; nobody awaits the answer to a look-up any more.
pub(super) const STATEMENT_TIMEOUT: Duration = Duration::from_millis(500);

/// A connection.
pub(super) struct Pipeline {
    client: Client,
    driver: AbortHandle,
    origin: Origin,
    /// How long a look-up may take, those before it included.
    answer_timeout: Duration,
    /// The prepared statements, and `None` for one that is being prepared. There are as many as the code has
    /// statements for look-ups.
    statements: Mutex<HashMap<&'static str, Option<Statement>>>,
    in_flight: AtomicUsize,
    answered: AtomicUsize,
    is_probed: AtomicBool,
    /// Why this process ended it.
    reason: OnceLock<&'static str>,
}

/// A slot for one look-up on a connection.
pub(super) struct Slot {
    pipeline: Arc<Pipeline>,
    statement: Statement,
    /// Whether the look-up has ended; not so when its caller left.
    has_ended: bool,
}

impl Pipeline {
    /// Connects.
    pub(super) async fn open(
        server: &Server,
        answer_timeout: Duration,
    ) -> Result<Arc<Self>, StoreError> {
        let (client, driver, origin) = server.open_driven().await?;
        Ok(Arc::new(Pipeline {
            client,
            driver,
            origin,
            answer_timeout,
            statements: Mutex::default(),
            in_flight: AtomicUsize::new(0),
            answered: AtomicUsize::new(0),
            is_probed: AtomicBool::new(false),
            reason: OnceLock::new(),
        }))
    }

    /// Whether it is to the server that is followed now.
    pub(super) fn is_current(&self, server: &Server) -> bool {
        server.is_current(&self.origin)
    }

    /// Whether it has ended.
    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Why it has ended.
    pub(super) fn reason(&self) -> &'static str {
        self.reason.get().copied().unwrap_or("the server closed it")
    }

    /// How many look-ups have a slot.
    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// How many look-ups it has answered.
    pub(super) fn answered(&self) -> usize {
        self.answered.load(Ordering::Relaxed)
    }

    /// Takes a slot for a look-up by this statement. `None` while the statement is being prepared: a look-up
    /// does not wait for that, and many would prepare it as many times.
    pub(super) fn slot(self: &Arc<Self>, sql: &'static str) -> Option<Slot> {
        let statement = match self.statements().entry(sql) {
            Entry::Occupied(entry) => entry.get().clone()?,
            Entry::Vacant(entry) => {
                entry.insert(None);
                self.prepare(sql);
                return None;
            }
        };
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        Some(Slot {
            pipeline: Arc::clone(self),
            statement,
            has_ended: false,
        })
    }

    /// Prepares a statement in the background.
    fn prepare(self: &Arc<Self>, sql: &'static str) {
        let pipeline = Arc::clone(self);
        tokio::spawn(async move {
            let preparing = async { pipeline.client.prepare(&numbered(sql)).await };
            match timeout(STATEMENT_TIMEOUT, preparing).await {
                Ok(Ok(statement)) => {
                    pipeline.statements().insert(sql, Some(statement));
                }
                Ok(Err(error)) => {
                    tracing::debug!(%error, sql, "no look-up can be prepared");
                    pipeline.statements().remove(sql);
                }
                Err(_) => pipeline.end("a statement was not prepared in time"),
            }
        });
    }

    /// Ends the connection unless it answers in time. Without this, a connection that is stuck would have no
    /// look-up that waits, and would get all that come, if every caller leaves soon.
    fn probe(self: &Arc<Self>) {
        // It may be dropped with a runtime.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        if self.is_probed.swap(true, Ordering::Relaxed) {
            return;
        }
        let pipeline = Arc::clone(self);
        runtime.spawn(async move {
            let probe = pipeline.client.simple_query("");
            if in_time(pipeline.answer_timeout, probe).await.is_none() {
                pipeline.end("a caller left, and a probe had no answer in time");
            }
            pipeline.is_probed.store(false, Ordering::Relaxed);
        });
    }

    /// Ends the connection; the look-ups on it fail at once.
    fn end(&self, reason: &'static str) {
        // The first reason stays.
        let _ = self.reason.set(reason);
        self.driver.abort();
    }

    fn statements(&self) -> MutexGuard<'_, HashMap<&'static str, Option<Statement>>> {
        // Consistent after each change, so a poisoned lock is safe to use.
        self.statements
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    /// The first row of the statement with this key, mapped; `None` when there is none.
    pub(super) async fn first<T>(
        mut self,
        key: Value<'_>,
        map: impl Fn(&dyn Row) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let pipeline = &self.pipeline;
        let row = async {
            let rows = pipeline.client.query_raw(&self.statement, [Bound(key)]);
            pin!(rows.await?).try_next().await
        };
        let row = in_time(pipeline.answer_timeout, row).await;
        self.has_ended = true;
        let Some(row) = row else {
            pipeline.end("a look-up had no answer in time");
            return Err(StoreError::Timeout);
        };
        let row = row.map_err(|error| {
            let failure = Failure::from(error);
            if failure.is_stale {
                pipeline.end("a table was changed");
            }
            failure.error
        })?;
        pipeline.answered.fetch_add(1, Ordering::Relaxed);
        row.map(|row| map(&Columns(row))).transpose()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.pipeline.in_flight.fetch_sub(1, Ordering::Relaxed);
        if !self.has_ended {
            self.pipeline.probe();
        }
    }
}

/// The answer, if it comes in time. The time has two halves, because this process may stand still for longer
/// than it: then one of them ends although the answer is there, and the driver reads it during the other.
async fn in_time<F: Future>(limit: Duration, answer: F) -> Option<F::Output> {
    let mut answer = pin!(answer);
    for _ in 0..2 {
        if let Ok(answer) = timeout(limit / 2, answer.as_mut()).await {
            return Some(answer);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_answer_counts_also_after_this_process_stood_still() {
        let limit = Duration::from_millis(50);
        let (answer, answered) = oneshot::channel();
        let driver = async {
            tokio::time::advance(10 * limit).await;
            // The look-up is polled first.
            tokio::task::yield_now().await;
            answer.send(1)
        };
        let (found, _) = tokio::join!(in_time(limit, answered), driver);
        assert_eq!(found, Some(Ok(1)));
        let (_answer, never) = oneshot::channel::<()>();
        assert_eq!(in_time(limit, never).await, None);
    }
}
