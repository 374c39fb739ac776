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
use crate::tls::{Tls, TlsError};
use crate::upkeep;
use obeya_store::engine::StoreError;
use obeya_store::without_password;

const UNUSABLE: &str = "cannot use the certificate; the last one stays in use";

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
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
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
    tls: Option<Arc<Tls>>,
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
        let socket = bind(config.listen).await?;
        Self::start_with(config, socket).await
    }

    /// The same on a socket that listens already, instead of [`Config::listen`]: of a supervisor that keeps
    /// it open while the service restarts.
    ///
    /// # Errors
    /// As with [`Self::start`].
    pub async fn start_on(
        config: Config,
        socket: std::net::TcpListener,
    ) -> Result<Running, StartError> {
        let failed = |source| StartError::Bind {
            address: config.listen,
            source,
        };
        socket.set_nonblocking(true).map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        let socket = TcpListener::from_std(socket).map_err(failed)?;
        Self::start_with(config, (socket, address)).await
    }

    async fn start_with(
        config: Config,
        (socket, address): (TcpListener, SocketAddr),
    ) -> Result<Running, StartError> {
        let tls = config
            .tls
            .as_ref()
            .map(Tls::open)
            .transpose()?
            .map(Arc::new);
        if tls.is_none() && is_exposed(address) {
            tracing::warn!(
                %address,
                "listening beyond this machine without TLS: everybody on the network can read tokens and data, unless a proxy ends TLS on the same machine; set --tls-certificate and --tls-key"
            );
        }
        let (admin, admin_address) = match config.admin_listen {
            Some(address) => Some(bind(address).await?).unzip(),
            None => (None, None),
        };
        let db = without_password(&config.db);
        let bound = format!("{}://{address}", config.scheme());
        let opened = App::open(config, &bound, &router::labels()).await;
        let opened = opened.map_err(|source| StartError::Store { db, source })?;
        let app = Arc::new(opened);
        let limits = &app.config.limits;
        let (stop, stopped) = watch::channel(());
        let mut listeners = JoinSet::new();
        let main = Listener {
            socket,
            pipeline: Pipeline::new(&app),
            connections: limits.connections,
            tls: tls.clone(),
            open: app.metrics.listener("main", limits.connections),
            shares: limits.connections_per_address.map(AddressShares::new),
        };
        listeners.spawn(main.run(stopped.clone()));
        if let Some(socket) = admin {
            let admin = Listener {
                socket,
                pipeline: Pipeline::admin(&app),
                connections: limits.admin_connections,
                tls: None,
                open: app.metrics.listener("admin", limits.admin_connections),
                shares: None,
            };
            listeners.spawn(admin.run(stopped));
        }
        let mut upkeep = upkeep::start(&app);
        if let Some(tls) = &tls {
            upkeep.spawn(follow_certificate(
                Arc::clone(tls),
                limits.certificate_check,
            ));
        }
        tracing::info!(%address, admin_address = admin_address.map(tracing::field::display), base_url = app.base_url, "listening");
        Ok(Running {
            app,
            tls,
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

    /// Reads the files of the certificate again now, as the service does by itself some time after they have
    /// changed. Connections keep the certificate that they have.
    ///
    /// # Errors
    /// The files cannot be used, which is logged; the last ones stay in use.
    pub async fn reload_certificate(&self) -> Result<(), TlsError> {
        let Some(tls) = &self.tls else {
            return Ok(());
        };
        let reloaded = reload(tls).await;
        if let Err(error) = &reloaded {
            tracing::error!(%error, "{UNUSABLE}");
        }
        reloaded
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
        admin::add(&self.app.store, &self.app.clock, name, scopes, &[]).await
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
        self.app.failures.end_now();
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

/// Whether other machines can connect to an address.
fn is_exposed(address: SocketAddr) -> bool {
    !address.ip().to_canonical().is_loopback()
}

/// Reads the files of the certificate when they change. A fault is logged once, not at every check.
async fn follow_certificate(tls: Arc<Tls>, period: Duration) {
    let mut last = None;
    loop {
        tokio::time::sleep(period).await;
        let fault = reload(&tls).await.err().map(|error| error.to_string());
        if let Some(error) = fault.as_ref().filter(|_| fault != last) {
            tracing::error!(error, "{UNUSABLE}");
        }
        last = fault;
    }
}

async fn reload(tls: &Arc<Tls>) -> Result<(), TlsError> {
    let tls = Arc::clone(tls);
    // This fails only if reading panicked, or the runtime ends.
    let read = tokio::task::spawn_blocking(move || tls.reload()).await;
    if read.unwrap_or(Ok(false))? {
        tracing::info!("the certificate has changed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_loopback_address_is_not_exposed() {
        for (address, exposed) in [
            ("127.0.0.1:80", false),
            ("127.8.0.1:80", false),
            ("[::1]:80", false),
            ("[::ffff:127.0.0.1]:80", false),
            ("0.0.0.0:80", true),
            ("[::]:80", true),
            ("10.0.0.1:80", true),
        ] {
            let address = address.parse().expect("an address");
            assert_eq!(is_exposed(address), exposed, "{address}");
        }
    }
}
