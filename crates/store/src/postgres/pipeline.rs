//! A connection on which look-ups of many requests are pipelined, without a thread that waits for each.
//!
//! A task of the runtime drives it. Each look-up is a statement by primary key in a transaction of its own,
//! and answers come in the order of the look-ups. So none may wait: one that does is given up soon, and the
//! connection with it. Whoever asked uses a reader then.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::TryStreamExt as _;
use tokio::task::AbortHandle;
use tokio_postgres::{Client, Statement};

use super::errors::Failure;
use super::placeholders::numbered;
use super::server::{Origin, Server};
use super::values::{Bound, Columns};
use crate::{Row, StoreError, Value};

/// How long a look-up may take, those before it included: some thousand times what it usually takes.
pub(super) const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(1);
/// How long it may wait for a lock, while those behind it wait too.
pub(super) const LOCK_TIMEOUT: Duration = Duration::from_millis(100);

/// A connection.
pub(super) struct Pipeline {
    client: Client,
    driver: AbortHandle,
    origin: Origin,
    /// The prepared statements. There are as many as the code has statements for look-ups.
    statements: Mutex<HashMap<&'static str, Statement>>,
    in_flight: AtomicUsize,
}

/// A place for one look-up on a connection.
pub(super) struct Place(Arc<Pipeline>);

impl Pipeline {
    /// Connects.
    pub(super) async fn open(server: &Server) -> Result<Arc<Self>, StoreError> {
        let (client, driver, origin) = server.open_driven().await?;
        Ok(Arc::new(Pipeline {
            client,
            driver,
            origin,
            statements: Mutex::default(),
            in_flight: AtomicUsize::new(0),
        }))
    }

    /// Whether it can take look-ups of this server.
    pub(super) fn is_usable(&self, server: &Server) -> bool {
        !self.client.is_closed() && server.is_current(&self.origin)
    }

    /// How many look-ups have a place.
    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Takes a place for a look-up.
    pub(super) fn place(self: &Arc<Self>) -> Place {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        Place(Arc::clone(self))
    }

    /// Ends the connection; the look-ups on it fail at once.
    pub(super) fn end(&self) {
        self.driver.abort();
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
        &self.0
    }

    /// The first row of a statement with this key, mapped; `None` when there is none.
    pub(super) async fn first<T>(
        self: &Place,
        sql: &'static str,
        key: Value<'_>,
        map: impl Fn(&dyn Row) -> Result<T, StoreError>,
    ) -> Result<Option<T>, Failure> {
        let row = async {
            let statement = self.0.prepared(sql).await?;
            let rows = self.0.client.query_raw(&statement, [Bound(key)]).await?;
            pin!(rows).try_next().await
        };
        match tokio::time::timeout(LOOK_UP_TIMEOUT, row).await {
            Ok(row) => Ok(row?.map(|row| map(&Columns(row))).transpose()?),
            Err(_) => Err(StoreError::Timeout.into()),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}
