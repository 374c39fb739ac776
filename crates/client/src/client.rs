//! The client itself: a handle on the transport that makes any call.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use obeya_api::{Call, call};
use obeya_model::Timestamp;
use reqwest::{Method, Request, Url};
use serde::de::DeserializeOwned;

use crate::bridge;
use crate::config::Config;
use crate::decode;
use crate::error::Result;
use crate::extras::{Carrier, Extras};
use crate::transport::Transport;

/// A client of one service. Cheap to clone: all clones share one connection pool and one token.
///
/// Its methods must be called within a Tokio runtime.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    transport: Arc<Transport>,
    api: obeya_api::Client,
    extras: Extras,
}

impl Client {
    /// The same client, whose calls may take this long. Connections and tokens are shared.
    #[must_use]
    pub fn timeout(&self, limit: Duration) -> Self {
        self.limited(|config| config.timeout = limit)
    }

    /// The same client, whose calls are tried again this often, and so is the request for a token that one of
    /// them makes. Connections and tokens are shared.
    #[must_use]
    pub fn max_retries(&self, retries: u32) -> Self {
        self.limited(|config| config.retry.max_retries = retries)
    }

    fn limited(&self, change: impl FnOnce(&mut Config)) -> Self {
        let mut transport = Transport::clone(self.transport());
        change(&mut transport.config);
        Self::new(transport).with(self.extras().clone())
    }

    pub(crate) fn new(transport: Transport) -> Self {
        let transport = Arc::new(transport);
        let api = bridge::api(&transport, Arc::<Transport>::clone(&transport));
        Self {
            inner: Arc::new(Inner {
                transport,
                api,
                extras: Extras::default(),
            }),
        }
    }

    /// The same client, whose calls carry this.
    pub(crate) fn with(&self, extras: Extras) -> Self {
        let transport = Arc::clone(self.transport());
        let carrier = Carrier {
            transport: Arc::clone(&transport),
            extras: extras.clone(),
        };
        let api = bridge::api(&transport, Arc::new(carrier));
        Self {
            inner: Arc::new(Inner {
                transport,
                api,
                extras,
            }),
        }
    }

    /// What its calls carry.
    pub(crate) fn extras(&self) -> &Extras {
        &self.inner.extras
    }

    /// The address of the API.
    #[must_use]
    pub fn base_url(&self) -> &str {
        self.inner.transport.config.base_url.as_str()
    }

    /// What of its settings lets others read a secret: a sentence for each, none with https or on this
    /// machine. Each was a `tracing` warning when the client was built.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.inner.transport.config.warnings()
    }

    /// Makes sure there is an access token and says what it is good for. Every call does this by itself; it
    /// is of use for finding out early that the credentials are wrong. `None` without client credentials.
    ///
    /// # Errors
    /// [`Error::Auth`](crate::Error::Auth) when the issuer refuses.
    pub async fn authenticate(&self) -> Result<Option<Access>> {
        let grant = self.inner.transport.authenticate().await?;
        Ok(grant.map(|grant| Access {
            expires_in: grant.expires_in,
            scopes: grant.scopes.clone(),
        }))
    }

    /// `GET /v2/ping`: what time it is where the service runs.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn ping(&self) -> Result<Timestamp> {
        self.call(&call::Ping::default()).await
    }

    /// Makes a call: any operation of the interface, with its parameters as fields. The methods of the
    /// resources do the same and take less writing; this is for what they leave out, and for code that treats
    /// operations alike.
    ///
    /// ```no_run
    /// use obeya::call;
    ///
    /// # async fn example(client: obeya::Client) -> obeya::Result<()> {
    /// let page = client
    ///     .call(&call::ListIncidentComments {
    ///         filter: Some("incidentId eq 4711"),
    ///         ..Default::default()
    ///     })
    ///     .await?;
    /// println!("{} comments", page.value.len());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn call<C: Call>(&self, call: &C) -> Result<C::Output> {
        bridge::finish(C::OPERATION, call.send(self.api()).await)
    }

    pub(crate) fn transport(&self) -> &Arc<Transport> {
        &self.inner.transport
    }

    pub(crate) fn api(&self) -> &obeya_api::Client {
        &self.inner.api
    }

    /// Fetches an address that the service itself gave. The caller has made sure that it is within the API.
    pub(crate) async fn get_url<T: DeserializeOwned>(
        &self,
        operation: &'static str,
        url: Url,
    ) -> Result<T> {
        let mut request = Request::new(Method::GET, url);
        let json = http::HeaderValue::from_static("application/json");
        request.headers_mut().insert(http::header::ACCEPT, json);
        let reply = self.transport().call(operation, &request).await?;
        decode::json(operation, &reply.body)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.base_url())
            .finish_non_exhaustive()
    }
}

/// What an access token is good for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Access {
    /// Its lifetime when it was given, where the issuer said.
    pub expires_in: Option<Duration>,
    /// The scopes granted, where the issuer said.
    pub scopes: Vec<String>,
}
