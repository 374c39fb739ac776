//! The listener and its connections: start, connection limits, graceful shutdown. This module does not know
//! what a request means.

use std::convert::Infallible;
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
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

use crate::app::App;
use crate::auth::admin::{self, AdminError, ClientChanges, ClientInfo, NewClient};
use crate::config::{Config, Limits};
use crate::http::connections::{Connection, HeadTimeout, IdleQueue, Peer};
use crate::http::write_timeout::WriteTimeout;
use crate::pipeline::{self, Pipeline};
use crate::router;
use crate::upkeep;
use obeya_store::engine::StoreError;
use obeya_store::without_password;

/// The pause after the listener failed, for example because the process is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// hyper's limit on the head of a request. Larger than ours, so that our answer with a reason is sent.
const HEAD_BYTES: usize = 128 << 10;
/// Most headers of a request.
const MAX_HEADERS: usize = 128;

/// Starts services.
#[derive(Debug)]
pub struct Server(());

/// Why a service did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Cannot listen on the address.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The database cannot be used.
    #[error("cannot open the database {db}")]
    Store {
        /// Its URL, without the password.
        db: String,
        /// The error of the store.
        #[source]
        source: StoreError,
    },
}

/// A running service. Dropping it stops the service at once; [`Running::shutdown`] lets requests in flight
/// finish.
pub struct Running {
    app: Arc<App>,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    listener: Option<JoinHandle<()>>,
    /// Dropping it aborts its tasks.
    upkeep: JoinSet<()>,
}

impl Server {
    /// Binds, opens the database (creates it if it is missing, unless [`Config::create`] is false) and
    /// serves, on the current tokio runtime.
    ///
    /// # Errors
    /// The address cannot be bound, or the database cannot be used.
    pub async fn start(config: Config) -> Result<Running, StartError> {
        let bind = |source| StartError::Bind {
            address: config.listen,
            source,
        };
        let listener = TcpListener::bind(config.listen).await.map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        let db = without_password(&config.db);
        let opened = App::open(config, &format!("http://{address}"), &router::labels()).await;
        let opened = opened.map_err(|source| StartError::Store { db, source })?;
        let pipeline = Arc::new(Pipeline::new(opened));
        let app = Arc::clone(&pipeline.app);
        let (stop, stopped) = oneshot::channel();
        let upkeep = upkeep::start(&app);
        let listener = tokio::spawn(listen(pipeline, listener, stopped));
        tracing::info!(%address, base_url = app.base_url, "listening");
        Ok(Running {
            app,
            address,
            stop: Some(stop),
            listener: Some(listener),
            upkeep,
        })
    }
}

impl Running {
    /// The URL under which clients reach the service, without a trailing slash.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.app.base_url
    }

    /// The issuer's URL, without a trailing slash; `/connect/token` is below it.
    #[must_use]
    pub fn auth_url(&self) -> &str {
        self.app.tokens.issuer()
    }

    /// The bound address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Creates a client that may request tokens.
    ///
    /// # Errors
    /// See [`admin::add_client`].
    pub async fn add_client<S: AsRef<str>>(
        &self,
        name: &str,
        scopes: &[S],
    ) -> Result<NewClient, AdminError> {
        admin::add(&self.app.store, &self.app.clock, name, scopes).await
    }

    /// The clients, oldest first, including revoked ones.
    ///
    /// # Errors
    /// An error of the database.
    pub async fn list_clients(&self) -> Result<Vec<ClientInfo>, AdminError> {
        admin::list(&self.app.store).await
    }

    /// Revokes a client. Its tokens are refused from now on.
    ///
    /// # Errors
    /// See [`admin::revoke_client`].
    pub async fn revoke_client(&self, client_id: &str) -> Result<(), AdminError> {
        admin::revoke(&self.app.store, &self.app.clock, client_id).await?;
        Ok(self.app.tokens.refresh(&self.app.store).await?)
    }

    /// Changes a client. The changes apply to its tokens from now on.
    ///
    /// # Errors
    /// See [`admin::set_client`].
    pub async fn set_client(
        &self,
        client_id: &str,
        changes: &ClientChanges,
    ) -> Result<(), AdminError> {
        admin::set(&self.app.store, &self.app.clock, client_id, changes).await?;
        Ok(self.app.tokens.refresh(&self.app.store).await?)
    }

    /// Gives a client a new secret. The present one remains valid for `overlap`.
    ///
    /// # Errors
    /// See [`admin::rotate_secret`].
    pub async fn rotate_secret(
        &self,
        client_id: &str,
        overlap: Duration,
    ) -> Result<NewClient, AdminError> {
        admin::rotate_secret_in(&self.app.store, &self.app.clock, client_id, overlap).await
    }

    /// Removes a signing key: its tokens are refused from now on. Returns the id of the new key that was
    /// created if none was left to sign with.
    ///
    /// # Errors
    /// See [`admin::retire_key`].
    pub async fn retire_key(&self, kid: &str) -> Result<Option<String>, AdminError> {
        let App {
            store,
            clock,
            tokens,
            ..
        } = &*self.app;
        let created = admin::retire_in(store, clock, kid, tokens.encryption()).await?;
        tokens.refresh(store).await?;
        Ok(created)
    }

    /// Creates a new signing key. Issued tokens stay valid.
    ///
    /// # Errors
    /// An error of the database.
    pub async fn rotate_keys(&self) -> Result<(), AdminError> {
        let App {
            store,
            clock,
            tokens,
            ..
        } = &*self.app;
        admin::rotate_in(store, clock, tokens.lifetime(), tokens.encryption()).await?;
        Ok(self.app.tokens.refresh(&self.app.store).await?)
    }

    /// The store, only for the tests and benches of this crate.
    #[doc(hidden)]
    #[must_use]
    pub fn store(&self) -> &obeya_store::Store {
        &self.app.store
    }

    /// Stops accepting, lets requests in flight finish within [`Limits::grace`], and closes the database.
    pub async fn shutdown(mut self) {
        drop(self.stop.take());
        if let Some(listener) = self.listener.take() {
            // This fails only if the task was aborted or panicked; then there is nothing to wait for.
            let _ = listener.await;
        }
        self.upkeep.abort_all();
        self.app.store.close().await;
        tracing::info!(address = %self.address, "stopped");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(listener) = self.listener.take() {
            listener.abort();
        }
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("base_url", &self.base_url())
            .finish_non_exhaustive()
    }
}

/// Accepts connections until shutdown, then lets them finish. Aborting this task aborts them too: it owns
/// them.
async fn listen(
    pipeline: Arc<Pipeline>,
    listener: TcpListener,
    mut stopped: oneshot::Receiver<()>,
) {
    let limits = pipeline.app.config.limits.clone();
    let graceful = GracefulShutdown::new();
    let builder = builder();
    let idle = Arc::new(IdleQueue::default());
    let mut connections = JoinSet::new();
    // A connection accepted beyond the limit; `is_closing` if another one is closing to make space for it.
    let mut waiting = None;
    let mut is_closing = false;
    loop {
        if connections.len() < limits.connections.max(1)
            && let Some((stream, peer)) = waiting.take()
        {
            connections.spawn(serve_connection(
                Arc::clone(&pipeline),
                &builder,
                &graceful,
                Connection::new(&idle),
                stream,
                peer,
            ));
        }
        tokio::select! {
            _ = &mut stopped => break,
            accepted = accept(&listener, &idle), if waiting.is_none() => waiting = accepted,
            // Removes ended connections, so that the set does not grow without bound.
            Some(_) = connections.join_next() => is_closing = false,
            () = idle.close_longest(), if waiting.is_some() && !is_closing => is_closing = true,
        }
    }
    drop(listener);
    if tokio::time::timeout(limits.grace, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("requests were still in flight when the grace period ended");
    }
    connections.shutdown().await;
}

/// Answers the requests of one connection, until either side closes it or it is closed to make space for
/// another.
fn serve_connection(
    pipeline: Arc<Pipeline>,
    builder: &http1::Builder,
    graceful: &GracefulShutdown,
    connection: Arc<Connection>,
    stream: TcpStream,
    peer: SocketAddr,
) -> impl Future<Output = ()> + Send + use<> {
    let Limits {
        send,
        idle,
        header_read,
        ..
    } = pipeline.app.config.limits;
    let stream = HeadTimeout::new(
        WriteTimeout::new(stream, send),
        Arc::clone(&connection),
        idle,
        header_read,
    );
    let of_requests = Arc::clone(&connection);
    let answer = service_fn(move |mut request: Request<Incoming>| {
        let (pipeline, connection) = (Arc::clone(&pipeline), Arc::clone(&of_requests));
        let is_in_time = connection.begin_request();
        async move {
            if !is_in_time {
                // The task of the connection is about to end.
                return std::future::pending().await;
            }
            request.extensions_mut().insert(Peer(peer));
            let response = pipeline::serve(&pipeline, request).await;
            Ok::<_, Infallible>(response.map(|body| connection.answer(body)))
        }
    });
    let served = graceful.watch(builder.serve_connection(TokioIo::new(stream), answer));
    async move {
        tokio::select! {
            ended = served => {
                if let Err(error) = ended {
                    // The client disconnected, or sent something other than HTTP.
                    tracing::debug!(%error, "connection ended");
                }
            }
            () = connection.closing() => {
                tracing::debug!(%peer, "closed an idle connection to accept another");
            }
        }
    }
}

fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        // It would include the idle time before a head; `HeadTimeout` has a limit for each.
        .header_read_timeout(None)
        .max_buf_size(HEAD_BYTES)
        .max_headers(MAX_HEADERS);
    builder
}

/// The next connection. Cancel-safe.
async fn accept(listener: &TcpListener, idle: &IdleQueue) -> Option<(TcpStream, SocketAddr)> {
    match listener.accept().await {
        Ok((stream, peer)) => {
            // Answers are written in large pieces; waiting for more data would only delay them.
            let _ = stream.set_nodelay(true);
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
                idle.try_close_longest();
            }
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}
