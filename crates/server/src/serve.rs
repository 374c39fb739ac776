//! Start and stop of the service, and the handle of a running one. This module does not know what a request
//! means.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::app::App;
use crate::auth::admin::{self, AdminError, ClientChanges, ClientInfo, NewClient};
use crate::config::Config;
use crate::http::address_share::AddressShares;
use crate::listener::Listener;
use crate::pipeline::Pipeline;
use crate::router;
use crate::upkeep;
use obeya_store::engine::StoreError;
use obeya_store::without_password;

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
    admin_address: Option<SocketAddr>,
    /// Dropping it stops the listeners.
    stop: Option<watch::Sender<()>>,
    /// Dropping these two aborts their tasks.
    listeners: JoinSet<()>,
    upkeep: JoinSet<()>,
}

impl Server {
    /// Binds, opens the database (creates it if it is missing, unless [`Config::create`] is false) and
    /// serves, on the current tokio runtime.
    ///
    /// # Errors
    /// The address cannot be bound, or the database cannot be used.
    pub async fn start(config: Config) -> Result<Running, StartError> {
        let (socket, address) = bind(config.listen).await?;
        let (admin, admin_address) = match config.admin_listen {
            Some(address) => Some(bind(address).await?).unzip(),
            None => (None, None),
        };
        let db = without_password(&config.db);
        let opened = App::open(config, &format!("http://{address}"), &router::labels()).await;
        let opened = opened.map_err(|source| StartError::Store { db, source })?;
        let app = Arc::new(opened);
        let limits = &app.config.limits;
        let (stop, stopped) = watch::channel(());
        let mut listeners = JoinSet::new();
        let main = Listener {
            socket,
            pipeline: Pipeline::new(&app),
            connections: limits.connections,
            open: app.metrics.listener("main", limits.connections),
            shares: limits.connections_per_address.map(AddressShares::new),
        };
        listeners.spawn(main.run(stopped.clone()));
        if let Some(socket) = admin {
            let admin = Listener {
                socket,
                pipeline: Pipeline::admin(&app),
                connections: limits.admin_connections,
                open: app.metrics.listener("admin", limits.admin_connections),
                shares: None,
            };
            listeners.spawn(admin.run(stopped));
        }
        let upkeep = upkeep::start(&app);
        tracing::info!(%address, admin_address = admin_address.map(tracing::field::display), base_url = app.base_url, "listening");
        Ok(Running {
            app,
            address,
            admin_address,
            stop: Some(stop),
            listeners,
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

    /// The bound address of [`Config::admin_listen`].
    #[must_use]
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin_address
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

    /// Stops accepting, lets requests in flight finish within [`Limits::grace`](crate::Limits::grace), and
    /// closes the database.
    pub async fn shutdown(mut self) {
        drop(self.stop.take());
        // One fails only if it was aborted or panicked; then there is nothing to wait for.
        while self.listeners.join_next().await.is_some() {}
        self.app.refusals.end_now();
        self.app.token_refusals.end_now();
        self.upkeep.abort_all();
        upkeep::store_refused(Arc::clone(&self.app)).await;
        self.app.store.close().await;
        tracing::info!(address = %self.address, "stopped");
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("base_url", &self.base_url())
            .finish_non_exhaustive()
    }
}

async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |source| StartError::Bind { address, source };
    let socket = TcpListener::bind(address).await.map_err(failed)?;
    let bound = socket.local_addr().map_err(failed)?;
    Ok((socket, bound))
}
