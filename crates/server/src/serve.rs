//! The listener and its connections: start, limits on the wire, graceful shutdown. What a request means is not known here.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::{JoinHandle, JoinSet};

use crate::app::App;
use crate::auth::admin::{self, AdminError, ClientInfo, NewClient};
use crate::config::{Config, Limits};
use crate::http::sending::Sending;
use crate::http::service;
use crate::store::engine::StoreError;
use crate::store::without_password;
use crate::upkeep;

/// How long to wait after the listener failed, as it does when the process is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// hyper's own limit on a request's head, beyond ours, so that ours gets to answer with a reason.
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
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the operating system said.
        #[source]
        source: std::io::Error,
    },
    /// The database cannot be used.
    #[error("cannot open the database {db}")]
    Store {
        /// Its URL, without the password.
        db: String,
        /// What the store said.
        #[source]
        source: StoreError,
    },
}

/// A running service. Dropping it stops the service at once; [`Running::shutdown`] lets requests in flight finish.
pub struct Running {
    app: Arc<App>,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    listener: Option<JoinHandle<()>>,
    /// Dropped, it ends its tasks.
    upkeep: JoinSet<()>,
}

impl Server {
    /// Binds, opens the database (making it if it is missing, unless [`Config::create`] says otherwise) and
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
        let opened = App::open(config, &format!("http://{address}")).await;
        let app = Arc::new(opened.map_err(|source| StartError::Store { db, source })?);
        let (stop, stopped) = oneshot::channel();
        let upkeep = upkeep::start(&app);
        let listener = tokio::spawn(listen(Arc::clone(&app), listener, stopped));
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
    /// The URL callers reach the service under, without a trailing slash.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.app.base_url
    }

    /// The issuer's URL, without a trailing slash; `/connect/token` is below it.
    #[must_use]
    pub fn auth_url(&self) -> &str {
        self.app.tokens.issuer()
    }

    /// The address that was bound.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Makes a client that may ask for tokens.
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

    /// The clients, oldest first, the revoked ones too.
    ///
    /// # Errors
    /// The database's own.
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

    /// Makes a new signing key; tokens already given out stay good.
    ///
    /// # Errors
    /// The database's own.
    pub async fn rotate_keys(&self) -> Result<(), AdminError> {
        admin::rotate_in(&self.app.store, &self.app.clock, self.app.tokens.lifetime()).await?;
        Ok(self.app.tokens.refresh(&self.app.store).await?)
    }

    /// The store, for this crate's own tests and benches.
    #[doc(hidden)]
    #[must_use]
    pub fn store(&self) -> &crate::store::Store {
        &self.app.store
    }

    /// Stops accepting, lets requests in flight finish within [`Limits::grace`], and closes the database.
    pub async fn shutdown(mut self) {
        drop(self.stop.take());
        if let Some(listener) = self.listener.take() {
            // It only fails when it was aborted or panicked; then there is nothing left to wait for.
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

/// Accepts until told to stop, then lets the connections finish. Aborting this task aborts them too: it owns them.
async fn listen(app: Arc<App>, listener: TcpListener, mut stopped: oneshot::Receiver<()>) {
    let limits = app.config.limits.clone();
    let permits = Arc::new(Semaphore::new(
        limits.connections.clamp(1, Semaphore::MAX_PERMITS),
    ));
    let graceful = GracefulShutdown::new();
    let builder = builder(&limits);
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            _ = &mut stopped => break,
            accepted = accept(&listener, &permits) => accepted,
            // Ended connections are taken out as they end, or the set would grow for ever.
            Some(_) = connections.join_next() => continue,
        };
        let Some((stream, permit)) = accepted else {
            continue;
        };
        let app = Arc::clone(&app);
        let answer = service_fn(move |request: Request<Incoming>| {
            let app = Arc::clone(&app);
            async move { Ok::<_, Infallible>(service::serve(app, request).await) }
        });
        let stream = TokioIo::new(Sending::new(stream, limits.send));
        let connection = graceful.watch(builder.serve_connection(stream, answer));
        connections.spawn(async move {
            if let Err(error) = connection.await {
                // A caller that goes away in the middle, or sends what is no HTTP.
                tracing::debug!(%error, "connection ended");
            }
            drop(permit);
        });
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

fn builder(limits: &Limits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_read)
        .max_buf_size(HEAD_BYTES)
        .max_headers(MAX_HEADERS);
    builder
}

/// A connection and its permit. Connections beyond the limit stay in the listener's queue.
async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let permit = Arc::clone(permits).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => {
            // Answers are written whole; waiting for more to send would only delay them.
            let _ = stream.set_nodelay(true);
            Some((stream, permit))
        }
        Err(error) => {
            tracing::warn!(%error, "cannot accept a connection");
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}
