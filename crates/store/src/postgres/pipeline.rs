//! A connection on which look-ups of many requests are pipelined, without a thread that waits for each.
//!
//! A task of the runtime drives it. Each look-up is a statement by primary key in a transaction of its own,
//! and answers come in the order of the look-ups. So none may wait: the first one without an answer in time
//! is given up. Whoever asked uses a reader then.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::TryStreamExt as _;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio_postgres::{Client, Statement};

use super::errors::Failure;
use super::placeholders::numbered;
use super::server::{Origin, Server};
use super::values::{Bound, Columns};
use crate::{Row, StoreError, Value};

/// When the server ends a look-up; nobody awaits its answer any more.
pub(super) const STATEMENT_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection.
pub(super) struct Pipeline {
    client: Client,
    /// How long a look-up may take, those before it included.
    answer_timeout: Duration,
    opened: Instant,
    driver: AbortHandle,
    origin: Origin,
    /// The prepared statements. There are as many as the code has statements for look-ups.
    statements: Mutex<HashMap<&'static str, Statement>>,
    in_flight: AtomicUsize,
    is_probed: AtomicBool,
}

/// A place for one look-up on a connection.
pub(super) struct Place {
    pipeline: Arc<Pipeline>,
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
            answer_timeout,
            opened: Instant::now(),
            driver,
            origin,
            statements: Mutex::default(),
            in_flight: AtomicUsize::new(0),
            is_probed: AtomicBool::new(false),
        }))
    }

    /// Whether it is to the server that is followed now.
    pub(super) fn is_current(&self, server: &Server) -> bool {
        server.is_current(&self.origin)
    }

    /// How long it has been open.
    pub(super) fn age(&self) -> Duration {
        self.opened.elapsed()
    }

    /// How many look-ups have a place.
    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Takes a place for a look-up.
    pub(super) fn place(self: &Arc<Self>) -> Place {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        Place {
            pipeline: Arc::clone(self),
            has_ended: false,
        }
    }

    /// Ends the connection; the look-ups on it fail at once.
    pub(super) fn end(&self) {
        self.driver.abort();
    }

    /// Ends the connection unless it answers in time. Without this, a connection that is stuck would have no
    /// look-up that waits, and would get all that come, if every caller leaves soon.
    fn probe(self: &Arc<Self>) {
        // Without a runtime nothing drives the connection.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        if self.is_probed.swap(true, Ordering::Relaxed) {
            return;
        }
        let pipeline = Arc::clone(self);
        runtime.spawn(async move {
            let probe = pipeline.client.simple_query("");
            let answered = tokio::time::timeout(pipeline.answer_timeout, probe).await;
            pipeline.is_probed.store(false, Ordering::Relaxed);
            if !matches!(answered, Ok(Ok(_))) {
                pipeline.end();
            }
        });
    }

    async fn prepared(&self, sql: &'static str) -> Result<Statement, tokio_postgres::Error> {
        if let Some(statement) = self.statements().get(sql) {
            return Ok(statement.clone());
        }
        // Several look-ups may prepare it at the same time, which does no harm.
        let statement = self.client.prepare(&numbered(sql)).await?;
        self.statements().insert(sql, statement.clone());
        Ok(statement)
    }

    fn statements(&self) -> MutexGuard<'_, HashMap<&'static str, Statement>> {
        // An insertion leaves it consistent, so a poisoned lock is safe to use.
        self.statements
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// The connection.
    pub(super) fn pipeline(&self) -> &Arc<Pipeline> {
        &self.pipeline
    }

    /// The first row of a statement with this key, mapped; `None` when there is none.
    pub(super) async fn first<T>(
        &mut self,
        sql: &'static str,
        key: Value<'_>,
        map: impl Fn(&dyn Row) -> Result<T, StoreError>,
    ) -> Result<Option<T>, Failure> {
        let pipeline = &self.pipeline;
        let row = async {
            let statement = pipeline.prepared(sql).await?;
            let rows = pipeline.client.query_raw(&statement, [Bound(key)]).await?;
            pin!(rows).try_next().await
        };
        let row = tokio::time::timeout(pipeline.answer_timeout, row).await;
        self.has_ended = true;
        match row {
            Ok(row) => Ok(row?.map(|row| map(&Columns(row))).transpose()?),
            Err(_) => Err(StoreError::Timeout.into()),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.pipeline.in_flight.fetch_sub(1, Ordering::Relaxed);
        if !self.has_ended {
            self.pipeline.probe();
        }
    }
}
