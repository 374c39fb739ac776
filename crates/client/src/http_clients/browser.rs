//! The HTTP clients in a browser, which decides about TLS, proxies, compression and the name of the agent.

use crate::config::Config;

/// The browser's client, for all addresses.
pub(super) fn clients(_: &Config) -> reqwest::Result<(reqwest::Client, reqwest::Client)> {
    let client = reqwest::Client::builder().build()?;
    Ok((client.clone(), client))
}

/// A browser does not say whether it had a connection.
pub(super) fn is_connect(_: &reqwest::Error) -> bool {
    false
}
