//! The HTTP clients outside a browser: TLS, proxies, compression and the time of a connection.

use crate::config::Config;

/// A client for addresses on this machine, and one for all others.
pub(super) fn clients(config: &Config) -> reqwest::Result<(reqwest::Client, reqwest::Client)> {
    install_crypto();
    let direct = direct(config)?;
    let proxied = if config.is_loopback() {
        direct.clone()
    } else {
        proxied(config)?
    };
    Ok((direct, proxied))
}

/// Whether the request cannot have been sent.
pub(super) fn is_connect(error: &reqwest::Error) -> bool {
    error.is_connect()
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
        // Another crate of the program may turn HTTP/2 on for reqwest. Retries and deadlines were tested
        // without it.
        .http1_only()
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
