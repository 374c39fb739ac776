//! Drives a connection from a blocking thread, and tracks requests without an answer (pipelining).
//!
//! The driver is asynchronous and ours is not, so each connection has a small runtime of its own, which runs
//! only while its thread waits. Requests may be sent without waiting for what comes back ([`Link::post`]);
//! answers come in the order of the requests. Must not know the statements.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::{FutureExt as _, Stream as _};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Client, Config, Error, Row, RowStream, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::errors::Failure;
use crate::StoreError;

/// Answers that may be outstanding before some are waited for: requests stay in memory until then.
const OUTSTANDING: usize = 256;

type Wire =
    tokio_postgres::Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;
type Posted = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// A connection.
pub(super) struct Link {
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    client: Option<Arc<Client>>,
    /// `None` once the connection has ended.
    wire: Option<Wire>,
    /// Requests without an answer, in their order.
    outstanding: VecDeque<Posted>,
    /// The error of one of them, not returned yet.
    failed: Option<Failure>,
    /// Why the connection has ended.
    ended: Option<String>,
    /// How long the server may be silent before it counts as gone; what it does takes less by its own
    /// timeouts.
    patience: Duration,
}

impl Link {
    /// Connects. Blocks, so the thread must not be one that drives a runtime.
    pub(super) fn open(
        config: &Config,
        tls: &MakeRustlsConnect,
        patience: Duration,
    ) -> Result<Result<Self, Error>, StoreError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| {
                StoreError::Unavailable(format!("no connection could be set up: {error}"))
            })?;
        // The driver's own limit is for each host's first answer alone; a server may take the connection and
        // then say nothing.
        let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
        let step = config.get_connect_timeout().copied().unwrap_or(patience);
        let limit = step.saturating_mul(u32::try_from(hosts).unwrap_or(u32::MAX).saturating_add(1));
        let connecting = async { tokio::time::timeout(limit, config.connect(tls.clone())).await };
        let failed = match runtime.block_on(connecting) {
            Ok(Ok((client, wire))) => {
                return Ok(Ok(Link {
                    runtime: Some(runtime),
                    client: Some(Arc::new(client)),
                    wire: Some(wire),
                    outstanding: VecDeque::new(),
                    failed: None,
                    ended: None,
                    patience,
                }));
            }
            Ok(Err(error)) => Ok(Err(error)),
            Err(_) => Err(StoreError::Unavailable(format!(
                "the database server did not answer in {limit:?}"
            ))),
        };
        // A look-up of the host's name may still be under way, and cannot be stopped.
        runtime.shutdown_background();
        failed
    }

    /// Through which requests are made.
    pub(super) fn client(&self) -> Arc<Client> {
        let client = self.client.as_ref();
        Arc::clone(client.expect("it is taken only when the link is dropped"))
    }

    /// A parameter that the server reported when it was connected to.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.wire.as_ref()?.parameter(name)
    }

    /// Whether the connection has ended.
    pub(super) fn is_lost(&self) -> bool {
        self.wire.is_none()
    }

    /// Whether a request has no answer yet.
    pub(super) fn is_outstanding(&self) -> bool {
        self.failed.is_some() || !self.outstanding.is_empty()
    }

    /// Sets the timeout of answers; returns the former one.
    pub(super) fn be_patient(&mut self, patience: Duration) -> Duration {
        std::mem::replace(&mut self.patience, patience)
    }

    /// Sends a request without waiting for its answer; a later [`Link::wait`] returns its error.
    pub(super) fn post(
        &mut self,
        request: impl Future<Output = Result<(), Error>> + Send + 'static,
    ) -> Result<(), Failure> {
        if self.outstanding.len() >= OUTSTANDING {
            self.settle()?;
        }
        let mut request: Posted = Box::pin(request);
        // What it sends, it sends when it is first asked.
        match request
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(Ok(())) => Ok(()),
            Poll::Ready(Err(error)) => Err(self.failure(error)),
            Poll::Pending => {
                self.outstanding.push_back(request);
                Ok(())
            }
        }
    }

    /// Flushes the posted requests without waiting.
    pub(super) fn flush(&mut self) {
        let Some(runtime) = &self.runtime else {
            return;
        };
        // Sockets belong to their runtime, which need not run for a write that the system takes at once.
        let _inside = runtime.enter();
        self.turn(&mut Context::from_waker(Waker::noop()));
    }

    /// Waits for the answers of all posted requests.
    pub(super) fn settle(&mut self) -> Result<(), Failure> {
        if !self.is_outstanding() {
            return Ok(());
        }
        self.wait(async { Ok(()) })
    }

    /// Sends a request and waits for its answer, and so for all posted before; returns the first error of
    /// these.
    pub(super) fn wait<T>(
        &mut self,
        request: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Failure> {
        let mut request = pin!(request);
        let runtime = self
            .runtime
            .take()
            .expect("it is taken only here and when the link is dropped");
        // Sent before anything is waited for: it travels together with what was posted.
        let mut outcome = {
            let _inside = runtime.enter();
            request.as_mut().now_or_never()
        };
        let patience = self.patience;
        let answered = runtime.block_on(async {
            let all = poll_fn(|cx| {
                self.turn(cx);
                if self.collect(cx).is_pending() {
                    return Poll::Pending;
                }
                if outcome.is_none() {
                    match request.as_mut().poll(cx) {
                        Poll::Ready(ready) => outcome = Some(ready),
                        Poll::Pending => return Poll::Pending,
                    }
                }
                Poll::Ready(())
            });
            tokio::time::timeout(patience, all).await
        });
        self.runtime = Some(runtime);
        if answered.is_err() {
            self.end(format!("the server did not answer in {patience:?}"));
            return Err(self.gone());
        }
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        match outcome {
            Some(Ok(value)) => Ok(value),
            Some(Err(error)) => Err(self.failure(error)),
            None => Err(self.gone()),
        }
    }

    /// The next row of a statement under way; without a look at the wire while one is at hand.
    pub(super) fn next(&mut self, mut rows: Pin<&mut RowStream>) -> Result<Option<Row>, Failure> {
        let at_hand = rows
            .as_mut()
            .poll_next(&mut Context::from_waker(Waker::noop()));
        match at_hand {
            Poll::Ready(None) => Ok(None),
            Poll::Ready(Some(Ok(row))) => Ok(Some(row)),
            Poll::Ready(Some(Err(error))) => Err(self.failure(error)),
            Poll::Pending => self.wait(poll_fn(|cx| {
                rows.as_mut().poll_next(cx).map(Option::transpose)
            })),
        }
    }

    /// Ends the connection for this reason.
    pub(super) fn end(&mut self, reason: String) {
        self.ended.get_or_insert(reason);
        self.wire = None;
        self.outstanding.clear();
    }

    /// Lets the wire take and give what it can now.
    fn turn(&mut self, cx: &mut Context<'_>) {
        while let Some(wire) = &mut self.wire {
            match wire.poll_message(cx) {
                Poll::Pending => return,
                Poll::Ready(Some(Ok(AsyncMessage::Notice(notice)))) => {
                    tracing::warn!(notice = notice.message(), "the database server warns");
                }
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(Some(Err(error))) => {
                    self.ended = Some(super::errors::with_causes(&error));
                    // Whoever waits for an answer learns from this that none comes.
                    self.wire = None;
                }
                Poll::Ready(None) => self.wire = None,
            }
        }
    }

    /// Takes the answers to what was posted, as far as they are here.
    fn collect(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let Some(first) = self.outstanding.front_mut() {
            match first.as_mut().poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(answer) => {
                    self.outstanding.pop_front();
                    if let Err(error) = answer
                        && self.failed.is_none()
                    {
                        self.failed = Some(self.failure(error));
                    }
                }
            }
        }
        Poll::Ready(())
    }

    fn failure(&mut self, error: Error) -> Failure {
        let was_said = error.as_db_error().is_some();
        let failure = Failure::from(error);
        if failure.is_lost {
            self.wire = None;
            // That nothing comes any more says less than why the connection ended.
            if !was_said && self.ended.is_some() {
                return self.gone();
            }
        }
        failure
    }

    fn gone(&self) -> Failure {
        Failure::lost(self.ended.as_deref().unwrap_or("it was closed"))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.outstanding.clear();
        // Dropping the client sends the end of the session.
        self.client = None;
        self.flush();
        self.wire = None;
        if let Some(runtime) = self.runtime.take() {
            // Where connections are closed may be a thread that must not wait for a runtime's end.
            runtime.shutdown_background();
        }
    }
}
