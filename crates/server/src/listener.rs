//! One listener and its connections: accept, connection limits, graceful shutdown. This module does not know
//! what a request means.

use std::convert::Infallible;
use std::error::Error;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::config::Limits;
use crate::http::address_share::{AddressShares, SharePermit};
use crate::http::connections::{Connection, HeadTimeout};
use crate::http::eviction::EvictionQueue;
use crate::http::lingering_close::{LingerTimes, LingeringClose};
use crate::http::request_body::RequestBody;
use crate::http::wait_allowance::WaitAllowance;
use crate::http::write_timeout::WriteTimeout;
use crate::pipeline::{self, Pipeline};
use crate::telemetry::OpenConnections;
use crate::tls::Tls;

/// The pause after the listener failed, for example because the process is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// hyper's limit on the head of a request. Larger than ours, so that our answer with a reason is sent.
const HEAD_BYTES: usize = 128 << 10;
/// Most bytes of an answer that the system may have taken and not sent yet.
#[cfg(target_os = "linux")]
const UNSENT_BYTES: u32 = 128 << 10;

/// A bound socket, and what it serves to how many.
pub(crate) struct Listener {
    pub(crate) socket: TcpListener,
    pub(crate) pipeline: Arc<Pipeline>,
    /// Most connections at a time.
    pub(crate) connections: usize,
    /// The certificate, if connections have TLS.
    pub(crate) tls: Option<Arc<Tls>>,
    /// Counts them for the metrics.
    pub(crate) open: OpenConnections,
    /// The limit for each address, if there is one.
    pub(crate) shares: Option<Arc<AddressShares>>,
}

/// A connection that was accepted.
struct Accepted {
    stream: TcpStream,
    peer: SocketAddr,
    /// Counts it as long as it lives; `None` if its address has no limit.
    share: Option<SharePermit>,
}

impl Listener {
    /// Accepts connections until the sender of `stopped` is dropped, then lets them finish. Aborting this
    /// task aborts them too: it owns them.
    pub(crate) async fn run(self, mut stopped: watch::Receiver<()>) {
        let graceful = GracefulShutdown::new();
        let builder = builder();
        let candidates = Arc::new(EvictionQueue::new(
            self.pipeline.app.metrics.evictions.clone(),
        ));
        let mut connections = JoinSet::new();
        // A connection accepted beyond the limit; `is_closing` if another one is closing to make space for
        // it.
        let mut waiting: Option<Accepted> = None;
        let mut is_closing = false;
        loop {
            if connections.len() < self.connections.max(1)
                && let Some(accepted) = waiting.take()
            {
                let connection = Connection::new(&candidates, accepted.peer);
                connections.spawn(self.serve(accepted, connection, &builder, &graceful, &stopped));
            }
            tokio::select! {
                _ = stopped.changed() => break,
                accepted = accept(&self.socket, &candidates), if waiting.is_none() => {
                    waiting = accepted.and_then(|(stream, peer)| self.admit(stream, peer));
                }
                // Removes ended connections, so that the set does not grow without bound.
                Some(_) = connections.join_next() => is_closing = false,
                () = candidates.close_one(), if waiting.is_some() && !is_closing => is_closing = true,
            }
        }
        let Self {
            socket, pipeline, ..
        } = self;
        drop(socket);
        let grace = pipeline.app.config.limits.grace;
        if tokio::time::timeout(grace, graceful.shutdown())
            .await
            .is_err()
        {
            tracing::warn!("requests were still in flight when the grace period ended");
        }
        connections.shutdown().await;
    }

    /// A connection, unless its address has as many as it may; then it is closed.
    fn admit(&self, stream: TcpStream, peer: SocketAddr) -> Option<Accepted> {
        let mut share = None;
        if let Some(shares) = &self.shares
            && !self.pipeline.app.config.is_trusted_proxy(peer.ip())
        {
            share = shares.admit(peer.ip());
            if share.is_none() {
                tracing::debug!(%peer, "closed a connection: its address has as many as it may");
                return None;
            }
        }
        Some(Accepted {
            stream,
            peer,
            share,
        })
    }

    /// Answers the requests of one connection, until either side closes it or it is closed to make space for
    /// another.
    fn serve(
        &self,
        accepted: Accepted,
        connection: Arc<Connection>,
        builder: &http1::Builder,
        graceful: &GracefulShutdown,
        stopped: &watch::Receiver<()>,
    ) -> impl Future<Output = ()> + Send + use<> {
        let pipeline = Arc::clone(&self.pipeline);
        let acceptor = self.tls.as_ref().map(|tls| tls.acceptor());
        let (builder, watcher, stopped) = (builder.clone(), graceful.watcher(), stopped.clone());
        let open = self.open.count();
        async move {
            let _open = open;
            let Accepted {
                stream,
                peer,
                share: _share,
            } = accepted;
            let closing = Arc::clone(&connection);
            let answered = async move {
                let Some(acceptor) = acceptor else {
                    let served = answer(&pipeline, connection, &builder, stream);
                    return watcher.watch(served).await.map_err(Into::into);
                };
                let limit = pipeline.app.config.limits.header_read;
                let stream = handshake(acceptor.accept(stream), limit, stopped).await?;
                let served = answer(&pipeline, connection, &builder, stream);
                watcher.watch(served).await.map_err(Into::into)
            };
            tokio::select! {
                ended = answered => {
                    if let Err(error) = ended {
                        // The client disconnected, or sent something other than HTTP.
                        let error: Box<dyn Error + Send + Sync> = error;
                        tracing::debug!(%error, "connection ended");
                    }
                }
                () = closing.closing() => {
                    tracing::debug!(%peer, "closed a connection to accept another");
                }
            }
        }
    }
}

/// A handshake, which has as much time as a head, and none once the service stops.
async fn handshake<S>(
    accepted: impl Future<Output = std::io::Result<S>>,
    limit: Duration,
    mut stopped: watch::Receiver<()>,
) -> std::io::Result<S> {
    tokio::select! {
        stream = tokio::time::timeout(limit, accepted) => stream?,
        _ = stopped.changed() => Err(ErrorKind::ConnectionAborted.into()),
    }
}

/// The connection of hyper, which answers requests until the stream ends.
fn answer<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    pipeline: &Arc<Pipeline>,
    connection: Arc<Connection>,
    builder: &http1::Builder,
    stream: S,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> + use<S> {
    let Limits {
        send,
        min_send_rate,
        idle,
        header_read,
        body_read,
        body_pause,
        ..
    } = pipeline.app.config.limits;
    let stream = WriteTimeout::new(stream, WaitAllowance::new(send, min_send_rate));
    // What is discarded of a body may take as long as one that is read.
    let times = LingerTimes {
        whole: body_read,
        pause: body_pause,
    };
    let stream = HeadTimeout::new(
        LingeringClose::new(stream, Arc::clone(&connection), times),
        Arc::clone(&connection),
        idle,
        header_read,
    );
    let pipeline = Arc::clone(pipeline);
    let answer = service_fn(move |mut request: Request<Incoming>| {
        let (pipeline, connection) = (Arc::clone(&pipeline), Arc::clone(&connection));
        let is_in_time = connection.begin_request();
        async move {
            if !is_in_time {
                // The task of the connection is about to end.
                return std::future::pending().await;
            }
            request.extensions_mut().insert(Arc::clone(&connection));
            let body = Arc::clone(&connection);
            let request = request.map(|incoming| RequestBody::new(incoming, body));
            let response = pipeline::serve(&pipeline, request).await;
            Ok::<_, Infallible>(response.map(|body| connection.answer(body)))
        }
    });
    builder.serve_connection(TokioIo::new(stream), answer)
}

fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        // It would include the idle time before a head; `HeadTimeout` has a limit for each.
        .header_read_timeout(None)
        .max_buf_size(HEAD_BYTES);
    builder
}

/// Bounds what the system buffers of an answer before it sends it. Its buffer may have megabytes, and it
/// reports space only after a third of them: a slow client would seem to take nothing for minutes.
#[cfg(target_os = "linux")]
fn bound_unsent(stream: &TcpStream) {
    // Only the measurement is coarser without it.
    let _ = SockRef::from(stream).set_tcp_notsent_lowat(UNSENT_BYTES);
}

#[cfg(not(target_os = "linux"))]
fn bound_unsent(_: &TcpStream) {}

/// The next connection. Cancel-safe.
async fn accept(
    listener: &TcpListener,
    candidates: &EvictionQueue,
) -> Option<(TcpStream, SocketAddr)> {
    match listener.accept().await {
        Ok((stream, peer)) => {
            // Answers are written in large pieces; waiting for more data would only delay them.
            let _ = stream.set_nodelay(true);
            bound_unsent(&stream);
            Some((stream, peer))
        }
        Err(error) => {
            tracing::warn!(%error, "cannot accept a connection");
            // Otherwise the system is out of file descriptors or memory before our limit was reached.
            let is_of_caller = matches!(
                error.kind(),
                ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::Interrupted
            );
            if !is_of_caller {
                candidates.try_close_one();
            }
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use crate::telemetry::Evictions;
    use std::net::Ipv4Addr;

    use super::*;

    #[tokio::test]
    async fn the_system_buffers_little_that_is_not_sent() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.expect("a socket");
        let address = listener.local_addr().expect("an address");
        let _client = TcpStream::connect(address).await.expect("connected");
        let (accepted, _) = accept(&listener, &EvictionQueue::new(Evictions::default()))
            .await
            .expect("a connection");
        let unsent = SockRef::from(&accepted).tcp_notsent_lowat();
        assert_eq!(unsent.expect("an option"), UNSENT_BYTES);
    }
}
