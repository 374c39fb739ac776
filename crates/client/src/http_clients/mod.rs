//! The HTTP clients: a direct one for addresses on this machine, and one that uses the environment's proxies
//! for all others.
//!
//! A loopback address needs no TLS because its requests do not leave the machine. That holds only if they
//! never pass a proxy, so every request must be sent by [`HttpClients::exchange`]. Requests are not
//! authorised or retried here.

#[cfg(target_arch = "wasm32")]
mod browser;
#[cfg(not(target_arch = "wasm32"))]
mod native;

use bytes::Bytes;

#[cfg(target_arch = "wasm32")]
use browser::{clients, is_connect};
#[cfg(not(target_arch = "wasm32"))]
use native::{clients, is_connect};

use crate::body;
use crate::config::{Config, is_loopback};
use crate::error::{ConfigError, Error, Result, chain, connection};
use crate::runtime;

/// A clone shares the connections.
#[derive(Clone)]
pub(crate) struct HttpClients {
    direct: reqwest::Client,
    proxied: reqwest::Client,
}

impl HttpClients {
    pub(crate) fn new(config: &Config) -> Result<Self, ConfigError> {
        let (direct, proxied) =
            clients(config).map_err(|error| ConfigError::Transport(chain(&error)))?;
        Ok(Self { direct, proxied })
    }

    /// A client that must only build requests.
    pub(crate) fn request_builder(&self) -> &reqwest::Client {
        &self.direct
    }

    /// Sends a request, by a client that depends on its URL, and reads the response, whose body may have at
    /// most `limit` bytes; a larger one of an error is dropped. The errors name the operation.
    pub(crate) async fn exchange(
        &self,
        operation: &'static str,
        request: reqwest::Request,
        limit: u64,
    ) -> Result<http::Response<Bytes>> {
        let client = if is_loopback(request.url()) {
            &self.direct
        } else {
            &self.proxied
        };
        runtime::exchange(async move {
            let broken = |error| connection(operation, is_connect(&error), error);
            let mut response = client.execute(request).await.map_err(broken)?;
            let status = response.status();
            let headers = std::mem::take(response.headers_mut());
            let read = body::read(response, limit).await.map_err(broken)?;
            let body = match read {
                Some(body) => body,
                None if status.is_success() => return Err(Error::TooLarge { operation, limit }),
                // The status says enough of an error, and decides about retries.
                None => Bytes::new(),
            };
            let mut whole = http::Response::new(body);
            *whole.status_mut() = status;
            *whole.headers_mut() = headers;
            Ok(whole)
        })
        .await
    }
}
