//! The HTTP clients: a direct one for addresses on this machine, and one that uses the environment's proxies
//! for all others.
//!
//! A loopback address needs no TLS because its requests do not leave the machine. That holds only if they
//! never pass a proxy, so every request must be sent by [`HttpClients::execute`]. Requests are not authorised
//! or retried here.

use crate::config::{Config, is_loopback};
use crate::error::{ConfigError, chain};

/// A clone shares the connections.
#[derive(Clone)]
pub(crate) struct HttpClients {
    direct: reqwest::Client,
    proxied: reqwest::Client,
}

impl HttpClients {
    pub(crate) fn new(config: &Config) -> Result<Self, ConfigError> {
        install_crypto();
        let clients = || {
            let direct = direct(config)?;
            let proxied = if config.is_loopback() {
                direct.clone()
            } else {
                proxied(config)?
            };
            Ok(Self { direct, proxied })
        };
        clients().map_err(|error: reqwest::Error| ConfigError::Transport(chain(&error)))
    }

    /// A client that must only build requests.
    pub(crate) fn request_builder(&self) -> &reqwest::Client {
        &self.direct
    }

    /// Sends a request; the client depends on its URL.
    pub(crate) async fn execute(
        &self,
        request: reqwest::Request,
    ) -> reqwest::Result<reqwest::Response> {
        let client = if is_loopback(request.url()) {
            &self.direct
        } else {
            &self.proxied
        };
        client.execute(request).await
    }
}

fn direct(config: &Config) -> reqwest::Result<reqwest::Client> {
    // Compression only costs time on one machine.
    let settings = settings(config, false).no_proxy();
    if config.needs_tls_on_loopback() {
        settings.build()
    } else {
        // Loading the system's root certificates takes longer than a call.
        settings.tls_certs_only([]).build()
    }
}

fn proxied(config: &Config) -> reqwest::Result<reqwest::Client> {
    let settings = || settings(config, true);
    let built = settings().build();
    if config.is_plain() {
        built.or_else(|_| settings().tls_certs_only([]).build())
    } else {
        built
    }
}

fn settings(config: &Config, compression: bool) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .user_agent(&config.user_agent)
        .connect_timeout(config.connect_timeout)
        .gzip(config.compression.unwrap_or(compression))
        // An API does not redirect, and a followed redirect could send the secret elsewhere.
        .redirect(reqwest::redirect::Policy::none())
}

/// reqwest is built without a TLS provider; one that the application installed takes precedence.
fn install_crypto() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Fails only if another thread has just installed one.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}
