//! Drives a connection from a blocking thread, and tracks pipelined requests.
//!
//! The driver is asynchronous and the store is not, so each connection has its own single-threaded Tokio
//! runtime, which runs only while its thread waits. Requests can be sent without waiting for the answer
//! ([`Link::post`]). Answers arrive in the order of the requests. This module does not depend on the text of
//! statements.

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
use crate::caller::Caller;

/// Most outstanding answers: requests stay in memory until they are answered.
const MAX_OUTSTANDING: usize = 256;

/// How long a server may take to accept that a statement is cancelled.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(1);

/// What sends requests and receives their answers, while it is polled.
pub(super) type Wire =
    tokio_postgres::Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;
type PostedRequest = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// Connects on the current runtime.
///
/// # Errors
/// [`StoreError::Unavailable`] when the server does not answer in time; otherwise what the driver says.
pub(super) async fn dial(
    config: &Config,
    tls: &MakeRustlsConnect,
    response_timeout: Duration,
) -> Result<Result<(Client, Wire), Error>, StoreError> {
    // The driver's connect timeout ends with the TCP connection to each host; a server may accept it and
    // then send nothing.
    let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
    let step = config
        .get_connect_timeout()
        .copied()
        .unwrap_or(response_timeout);
    let limit = step.saturating_mul(u32::try_from(hosts).unwrap_or(u32::MAX).saturating_add(1));
    let dialed = tokio::time::timeout(limit, config.connect(tls.clone())).await;
    dialed.map_err(|_| {
        StoreError::Unavailable(format!("the database server did not answer in {limit:?}"))
    })
}

/// A connection.
pub(super) struct Link {
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    client: Option<Arc<Client>>,
    /// `None` once the connection has ended.
    wire: Option<Wire>,
    /// Requests without an answer, in their order.
    outstanding: VecDeque<PostedRequest>,
    /// The first error of a posted request, until it is returned.
    failed: Option<Failure>,
    /// Why the connection has ended.
    ended: Option<String>,
    /// The timeout of a response. The server's own statement timeout is shorter.
    response_timeout: Duration,
    /// Whose requests they are, if that may go.
    caller: Option<Caller>,
    tls: MakeRustlsConnect,
}

impl Link {
    /// Connects. Blocks, so it must not be called on a thread that drives an async runtime.
    pub(super) fn open(
        config: &Config,
        tls: &MakeRustlsConnect,
        response_timeout: Duration,
    ) -> Result<Result<Self, Error>, StoreError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| {
                StoreError::Unavailable(format!("no connection could be set up: {error}"))
            })?;
        let failed = match runtime.block_on(dial(config, tls, response_timeout)) {
            Ok(Ok((client, wire))) => {
                return Ok(Ok(Link {
                    runtime: Some(runtime),
                    client: Some(Arc::new(client)),
                    wire: Some(wire),
                    outstanding: VecDeque::new(),
                    failed: None,
                    ended: None,
                    response_timeout,
                    caller: None,
                    tls: tls.clone(),
                }));
            }
            Ok(Err(error)) => Ok(Err(error)),
            Err(error) => Err(error),
        };
        // A DNS lookup may still be running, and cannot be cancelled.
        runtime.shutdown_background();
        failed
    }

    /// The client that sends requests.
    pub(super) fn client(&self) -> Arc<Client> {
        let client = self.client.as_ref();
        Arc::clone(client.expect("it is taken only when the link is dropped"))
    }

    /// A parameter that the server reported on connecting.
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

    /// Sets the timeout of responses; returns the previous one.
    pub(super) fn set_response_timeout(&mut self, response_timeout: Duration) -> Duration {
        std::mem::replace(&mut self.response_timeout, response_timeout)
    }

    /// Stops the requests of this caller once it has gone.
    pub(super) fn set_caller(&mut self, caller: Option<Caller>) {
        self.caller = caller;
    }

    /// The caller of the requests, for a connection that takes over.
    pub(super) fn take_caller(&mut self) -> Option<Caller> {
        self.caller.take()
    }

    /// Sends a request without waiting for its answer; a later [`Link::wait`] returns its error.
    pub(super) fn post(
        &mut self,
        request: impl Future<Output = Result<(), Error>> + Send + 'static,
    ) -> Result<(), Failure> {
        if self.outstanding.len() >= MAX_OUTSTANDING {
            self.await_pending()?;
        }
        let mut request: PostedRequest = Box::pin(request);
        // The request is sent by the first poll.
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
        // Sockets need the context of their runtime, but not a running one, for a write that does not block.
        let _inside = runtime.enter();
        self.turn(&mut Context::from_waker(Waker::noop()));
    }

    /// Waits for the answers of all posted requests.
    pub(super) fn await_pending(&mut self) -> Result<(), Failure> {
        if !self.is_outstanding() {
            return Ok(());
        }
        self.wait(async { Ok(()) })
    }

    /// Sends a request and waits for its answer and the answers to all posted requests; returns the first
    /// error.
    pub(super) fn wait<T>(
        &mut self,
        request: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Failure> {
        let mut request = pin!(request);
        let runtime = self
            .runtime
            .take()
            .expect("it is taken only here and when the link is dropped");
        // Polled once before waiting, so that it is sent together with the posted requests.
        let mut outcome = {
            let _inside = runtime.enter();
            request.as_mut().now_or_never()
        };
        let patience = self.response_timeout;
        let mut caller = self.caller.take();
        let waited = runtime.block_on(async {
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
            tokio::select! {
                biased;
                answered = tokio::time::timeout(patience, all) => match answered {
                    Ok(()) => Waited::Answered,
                    Err(_) => Waited::TimedOut,
                },
                () = gone(&mut caller) => Waited::CallerGone,
            }
        });
        self.caller = caller;
        if waited == Waited::CallerGone {
            // The server would run the statement to its end. Cancelling costs the connection: it may hit its
            // next statement.
            let cancel = self.client().cancel_token();
            let cancelled = async {
                tokio::time::timeout(CANCEL_TIMEOUT, cancel.cancel_query(self.tls.clone())).await
            };
            if !matches!(runtime.block_on(cancelled), Ok(Ok(()))) {
                tracing::debug!("a statement whose caller has gone could not be cancelled");
            }
        }
        self.runtime = Some(runtime);
        match waited {
            Waited::Answered => {}
            Waited::TimedOut => {
                self.end(format!("the server did not answer in {patience:?}"));
                return Err(self.gone());
            }
            Waited::CallerGone => {
                self.end("the caller of its statement has gone".into());
                // Not a lost connection, after which a reader would try again.
                return Err(StoreError::Timeout.into());
            }
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

    /// The next row of a running statement; reads from the socket only if no row is buffered.
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

    /// Polls the connection: sends and receives what is possible without blocking.
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
                    // Ends all waiting requests with an error.
                    self.wire = None;
                }
                Poll::Ready(None) => self.wire = None,
            }
        }
    }

    /// Removes the posted requests whose answers have arrived.
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
            // The reason for the end of the connection is more useful than "connection closed".
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

/// How waiting for an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waited {
    Answered,
    TimedOut,
    CallerGone,
}

async fn gone(caller: &mut Option<Caller>) {
    match caller {
        Some(caller) => caller.gone().await,
        None => std::future::pending().await,
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.outstanding.clear();
        // Dropping the client sends the Terminate message.
        self.client = None;
        self.flush();
        self.wire = None;
        if let Some(runtime) = self.runtime.take() {
            // The current thread may belong to an async runtime, where waiting for the shutdown is not
            // allowed.
            runtime.shutdown_background();
        }
    }
}
