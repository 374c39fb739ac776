//! The client: a handle on the transport, and generic calls.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use obeya_api::{Call, Reply, call};
use obeya_model::Timestamp;
use reqwest::{Method, Request, Url};
use serde::de::DeserializeOwned;

use crate::call_headers::{CallHeaders, Carrier};
use crate::config::Config;
use crate::decode;
use crate::error::Result;
use crate::executor;
use crate::transport::Transport;

/// A client of one service. Cheap to clone: all clones share one connection pool and one token.
///
/// Its methods must be called within a Tokio runtime.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

// Handlers of a server share one: a field that takes that away must not compile.
const _: () = {
    const fn is_shared<T: Clone + Send + Sync + 'static>() {}
    is_shared::<Client>();
};

struct Inner {
    transport: Arc<Transport>,
    api: obeya_api::Client,
    call_headers: CallHeaders,
}

impl Client {
    /// A client with another timeout for its calls. It shares connections and tokens.
    #[must_use]
    pub fn timeout(&self, limit: Duration) -> Self {
        self.limited(|config| config.timeout = limit)
    }

    /// A client with another maximum number of retries, also for its token requests. It shares connections
    /// and tokens.
    #[must_use]
    pub fn max_retries(&self, retries: u32) -> Self {
        self.limited(|config| config.retry.max_retries = retries)
    }

    fn limited(&self, change: impl FnOnce(&mut Config)) -> Self {
        let mut transport = Transport::clone(self.transport());
        change(&mut transport.config);
        Self::new(transport).with(self.call_headers().clone())
    }

    pub(crate) fn new(transport: Transport) -> Self {
        let transport = Arc::new(transport);
        let api = executor::api(&transport, Arc::<Transport>::clone(&transport));
        Self {
            inner: Arc::new(Inner {
                transport,
                api,
                call_headers: CallHeaders::default(),
            }),
        }
    }

    /// A client whose calls carry these headers.
    pub(crate) fn with(&self, call_headers: CallHeaders) -> Self {
        let transport = Arc::clone(self.transport());
        let carrier = Carrier {
            transport: Arc::clone(&transport),
            call_headers: call_headers.clone(),
        };
        let api = executor::api(&transport, Arc::new(carrier));
        Self {
            inner: Arc::new(Inner {
                transport,
                api,
                call_headers,
            }),
        }
    }

    /// The headers its calls carry.
    pub(crate) fn call_headers(&self) -> &CallHeaders {
        &self.inner.call_headers
    }

    /// The base URL of the API.
    #[must_use]
    pub fn base_url(&self) -> &str {
        self.inner.transport.config.base_url.as_str()
    }

    /// Warnings about settings that expose a secret to the network: none with https or on this machine. Each
    /// was also a `tracing` warning when the client was built.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.inner.transport.config.warnings()
    }

    /// Ensures that there is an access token, and describes it. Every call does this itself; use it to find
    /// out early that the credentials are wrong. `None` without client credentials.
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

    /// `GET /v2/ping`: the time at the service.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn ping(&self) -> Result<Timestamp> {
        self.call(&call::Ping::default()).await
    }

    /// Calls any operation of the interface, with its parameters as fields. The methods of the resources are
    /// shorter; use this for parameters they omit, and for code that is generic over operations.
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
        executor::finish(C::OPERATION, call.send(self.api()).await)
    }

    /// The same as [`call`](Self::call), with the status and the headers of the response.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn call_with_reply<C: Call>(&self, call: &C) -> Result<Reply<C::Output>> {
        executor::finish_reply(C::OPERATION, call.send(self.api()).await)
    }

    pub(crate) fn transport(&self) -> &Arc<Transport> {
        &self.inner.transport
    }

    pub(crate) fn api(&self) -> &obeya_api::Client {
        &self.inner.api
    }

    /// Fetches a URL within the API: the caller has made it, or checked it.
    pub(crate) async fn get_url<T: DeserializeOwned>(
        &self,
        operation: &'static str,
        url: Url,
    ) -> Result<T> {
        let mut request = Request::new(Method::GET, url);
        let json = http::HeaderValue::from_static("application/json");
        request.headers_mut().insert(http::header::ACCEPT, json);
        self.call_headers().add_own_to(request.headers_mut());
        let response = self.transport().call(operation, &request).await?;
        self.call_headers().record(&response);
        decode::json(operation, response.body())
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.base_url())
            .finish_non_exhaustive()
    }
}

/// The properties of an access token.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Access {
    /// Its lifetime when it was issued, if the issuer sent it.
    pub expires_in: Option<Duration>,
    /// The granted scopes, if the issuer sent them.
    pub scopes: Vec<String>,
}
