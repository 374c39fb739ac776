//! Collects the settings of a client, from code or from the environment.
//!
//! [`ClientBuilder::build`] reports missing and invalid settings, and all missing environment variables at
//! once. No connection is made here.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::Client;
use crate::config::{Config, Credentials, address};
use crate::error::{ConfigError, Result};
use crate::observe::Observer;
use crate::retry::RetryPolicy;
use crate::secret::Secret;
use crate::transport::Transport;

/// The settings of a [`Client`]; created by [`Client::builder`].
///
/// Required: [`base_url`](Self::base_url), and one of [`client_id`](Self::client_id) with
/// [`client_secret`](Self::client_secret), [`token`](Self::token) or [`anonymous`](Self::anonymous).
#[derive(Clone, Default)]
#[must_use = "a builder does nothing until `build`"]
pub struct ClientBuilder {
    base_url: Option<String>,
    auth_url: Option<String>,
    token_url: Option<String>,
    client_id: Option<String>,
    client_secret: Option<Secret>,
    token: Option<Secret>,
    anonymous: bool,
    scopes: Vec<String>,
    timeout: Option<Duration>,
    connect_timeout: Option<Duration>,
    retry: RetryPolicy,
    user_agent: Option<String>,
    max_body_bytes: Option<u64>,
    allow_plain_http: bool,
    compression: Option<bool>,
    supports_idempotency_keys: Option<bool>,
    observer: Option<Arc<dyn Observer>>,
}

impl Client {
    /// Settings for a new client.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// A client configured by environment variables: `OBEYA_BASE_URL`, `OBEYA_CLIENT_ID`,
    /// `OBEYA_CLIENT_SECRET`; optionally `OBEYA_AUTH_URL` (the token issuer, if it has another address),
    /// `OBEYA_TOKEN_URL` (its token endpoint, if that is on another host) and `OBEYA_ALLOW_PLAIN_HTTP`
    /// ([`allow_plain_http`](ClientBuilder::allow_plain_http)).
    ///
    /// # Errors
    /// [`ConfigError::MissingVariables`](crate::ConfigError::MissingVariables) with the names of all missing
    /// variables.
    pub fn from_env() -> Result<Self> {
        Self::builder().environment().require_environment()?.build()
    }
}

impl ClientBuilder {
    /// Base URL of the API; may have a path prefix.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// URL of the token issuer. Default: the base URL.
    pub fn auth_url(mut self, url: impl Into<String>) -> Self {
        self.auth_url = Some(url.into());
        self
    }

    /// URL of the token endpoint; overrides the issuer's discovery document. Without it the client secret is
    /// sent only to the origin of [`auth_url`](Self::auth_url): to the endpoint in the discovery document, or
    /// to `/connect/token`. Set it if the token endpoint is on another host than the issuer.
    pub fn token_url(mut self, url: impl Into<String>) -> Self {
        self.token_url = Some(url.into());
        self
    }

    /// Client id for the client credentials grant.
    pub fn client_id(mut self, id: impl Into<String>) -> Self {
        self.client_id = Some(id.into());
        self
    }

    /// Client secret for the client credentials grant. It is never printed.
    pub fn client_secret(mut self, secret: impl AsRef<str>) -> Self {
        self.client_secret = Some(Secret::new(secret.as_ref()));
        self
    }

    /// An existing access token, instead of client credentials. It is sent as it is and never refreshed.
    pub fn token(mut self, token: impl AsRef<str>) -> Self {
        self.token = Some(Secret::new(token.as_ref()));
        self
    }

    /// Sends no `Authorization` header: for gateways that add one, and for tests of unauthorized access.
    pub fn anonymous(mut self) -> Self {
        self.anonymous = true;
        self
    }

    /// Scopes to request, for example `Data.Read`. Default: none, which grants all scopes of the client.
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Timeout of a call, including retries, waits and a token request (each page of a stream is a call).
    /// Default: 60 s.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Timeout for establishing a connection. Default: 10 s.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = Some(limit);
        self
    }

    /// Maximum number of retries of a call. Default: 2. The crate's front page lists what is retried.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.retry.max_retries = retries;
        self
    }

    /// Longest `Retry-After` to wait for; a longer one ends the call at once with the service's error, which
    /// has the delay ([`Error::retry_after`](crate::Error::retry_after)). Default: 60 s.
    pub fn max_retry_after(mut self, limit: Duration) -> Self {
        self.retry.max_retry_after = limit;
        self
    }

    /// Text put after `obeya-rust/<version>` in the `User-Agent`, for example `nightly-export/2.1`.
    pub fn user_agent(mut self, suffix: impl Into<String>) -> Self {
        self.user_agent = Some(suffix.into());
        self
    }

    /// Maximum size of a response body, in decompressed bytes. Default: 64 MiB (a page of 10,000 values is
    /// about 3 MB).
    pub fn max_body_bytes(mut self, limit: u64) -> Self {
        self.max_body_bytes = Some(limit);
        self
    }

    /// Whether the client secret and the access token may be sent in plain HTTP to another machine, where
    /// everyone in between can read and use them. Default: no, and [`build`](Self::build) refuses such
    /// addresses. Addresses on this machine (`localhost`, loopback) need no permission: their requests never
    /// pass a proxy.
    pub fn allow_plain_http(mut self, allowed: bool) -> Self {
        self.allow_plain_http = allowed;
        self
    }

    /// Whether to request compressed responses. Default: yes, unless the service is on this machine, where
    /// decompression costs more than it saves.
    pub fn compression(mut self, wanted: bool) -> Self {
        self.compression = Some(wanted);
        self
    }

    /// Whether the service supports `Idempotency-Key`, so that a POST can be retried like a PUT. Default:
    /// `idempotency_key_supported` in the token issuer's discovery document, or no without an issuer: a
    /// service that ignores the header would apply the write twice.
    pub fn idempotency_keys(mut self, supported: bool) -> Self {
        self.supports_idempotency_keys = Some(supported);
        self
    }

    /// Passes every attempt of every call to `observer`.
    pub fn observe(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Takes settings from the environment: `OBEYA_BASE_URL`, `OBEYA_AUTH_URL`, `OBEYA_TOKEN_URL`,
    /// `OBEYA_CLIENT_ID`, `OBEYA_CLIENT_SECRET`, `OBEYA_ALLOW_PLAIN_HTTP` (`1` or `true` allows it, anything
    /// else does not). Variables that are not set leave a setting unchanged.
    pub fn environment(self) -> Self {
        self.variables(|name| std::env::var(name).ok())
    }

    /// Builds the client. It does not connect or fetch a token yet. Settings that send secrets unencrypted,
    /// because [`allow_plain_http`](Self::allow_plain_http) allows it, cause a `tracing` warning, which
    /// [`Client::warnings`] also returns.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) when a setting is missing or invalid, secrets would be sent
    /// unencrypted without permission, or the system's root certificates cannot be loaded.
    pub fn build(self) -> Result<Client> {
        let observer = self.observer.clone();
        let config = self.config()?;
        for warning in config.warnings() {
            tracing::warn!("{warning}");
        }
        Ok(Client::new(Transport::new(config, observer)?))
    }

    /// Looks up variables by a function, so that tests need not change the environment of the process.
    fn variables(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let variable = |name| variable(name).filter(|value| !value.trim().is_empty());
        self.base_url = variable("OBEYA_BASE_URL").or(self.base_url);
        self.auth_url = variable("OBEYA_AUTH_URL").or(self.auth_url);
        self.token_url = variable("OBEYA_TOKEN_URL").or(self.token_url);
        self.client_id = variable("OBEYA_CLIENT_ID").or(self.client_id);
        self.client_secret = variable("OBEYA_CLIENT_SECRET")
            .map(|secret| Secret::new(&secret))
            .or(self.client_secret);
        if let Some(allowed) = variable("OBEYA_ALLOW_PLAIN_HTTP") {
            self.allow_plain_http = matches!(allowed.trim(), "1" | "true");
        }
        self
    }

    /// The required variables that [`Client::from_env`] did not find.
    pub(crate) fn require_environment(self) -> Result<Self, ConfigError> {
        let missing: Vec<String> = [
            ("OBEYA_BASE_URL", self.base_url.is_none()),
            ("OBEYA_CLIENT_ID", self.client_id.is_none()),
            ("OBEYA_CLIENT_SECRET", self.client_secret.is_none()),
        ]
        .into_iter()
        .filter(|(_, missing)| *missing)
        .map(|(name, _)| name.to_owned())
        .collect();
        if missing.is_empty() {
            Ok(self)
        } else {
            Err(ConfigError::MissingVariables(missing))
        }
    }

    pub(crate) fn config(self) -> Result<Config, ConfigError> {
        let credentials = self.credentials()?;
        let base_url = address(
            "base_url",
            &self.base_url.ok_or(ConfigError::Missing("base_url"))?,
        )?;
        let auth_url = match &self.auth_url {
            Some(text) => address("auth_url", text)?,
            None => base_url.clone(),
        };
        let token_url = self.token_url.as_deref();
        let token_url = token_url
            .map(|text| address("token_url", text))
            .transpose()?;
        let product = concat!("obeya-rust/", env!("CARGO_PKG_VERSION"));
        let user_agent = match self.user_agent {
            Some(suffix) => format!("{product} {suffix}"),
            None => product.to_owned(),
        };
        if http::HeaderValue::from_str(&user_agent).is_err() {
            return Err(ConfigError::Invalid {
                setting: "user_agent",
                reason: "must be printable ASCII".to_owned(),
            });
        }
        let config = Config {
            base_url,
            auth_url,
            token_url,
            credentials,
            timeout: self.timeout.unwrap_or(Duration::from_secs(60)),
            connect_timeout: self.connect_timeout.unwrap_or(Duration::from_secs(10)),
            retry: self.retry,
            max_body_bytes: self.max_body_bytes.unwrap_or(64 << 20),
            user_agent,
            allow_plain_http: self.allow_plain_http,
            compression: self.compression,
            supports_idempotency_keys: self.supports_idempotency_keys,
        };
        config.require_private()?;
        Ok(config)
    }

    /// Requires exactly one way to authenticate.
    fn credentials(&self) -> Result<Credentials, ConfigError> {
        let client = self.client_id.is_some() || self.client_secret.is_some();
        let ways = [client, self.token.is_some(), self.anonymous];
        if ways.into_iter().filter(|way| *way).count() > 1 {
            return Err(ConfigError::Invalid {
                setting: "token",
                reason: "set client credentials, a token or anonymous: one of them".to_owned(),
            });
        }
        if self.anonymous {
            return Ok(Credentials::Anonymous);
        }
        if let Some(token) = &self.token {
            if token.expose().is_empty() {
                return Err(ConfigError::Missing("token"));
            }
            return sendable("token", token).map(Credentials::Token);
        }
        let id = self
            .client_id
            .clone()
            .filter(|id| !id.is_empty())
            .ok_or(ConfigError::Missing("client_id"))?;
        let secret = self
            .client_secret
            .clone()
            .filter(|secret| !secret.expose().is_empty())
            .ok_or(ConfigError::Missing("client_secret"))?;
        Ok(Credentials::Client {
            id,
            secret,
            scopes: self.scopes.clone(),
        })
    }
}

/// Fails at build time, naming the setting, rather than on each request if the text cannot be part of a
/// header.
fn sendable(setting: &'static str, secret: &Secret) -> Result<Secret, ConfigError> {
    http::HeaderValue::from_str(secret.expose())
        .map(|_| secret.clone())
        .map_err(|_| ConfigError::Invalid {
            setting,
            reason: "has characters that a header cannot contain".to_owned(),
        })
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("base_url", &self.base_url)
            .field("auth_url", &self.auth_url)
            .field("token_url", &self.token_url)
            .field("client_id", &self.client_id)
            .field("client_secret", &self.client_secret)
            .field("token", &self.token)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(pairs: &'static [(&'static str, &'static str)]) -> ClientBuilder {
        ClientBuilder::default().variables(|name| {
            pairs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_environment_is_read_by_name() {
        let config = from(&[
            ("OBEYA_BASE_URL", "https://connect.example/api"),
            ("OBEYA_AUTH_URL", "https://login.example"),
            ("OBEYA_TOKEN_URL", "https://tokens.example/token"),
            ("OBEYA_CLIENT_ID", "plant"),
            ("OBEYA_CLIENT_SECRET", "s3cret"),
        ])
        .require_environment()
        .unwrap()
        .config()
        .unwrap();
        assert_eq!(config.base_url.as_str(), "https://connect.example/api");
        assert_eq!(config.auth_url.as_str(), "https://login.example/");
        let token_url = config.token_url.map(String::from);
        assert_eq!(token_url.as_deref(), Some("https://tokens.example/token"));
        let Credentials::Client { id, secret, .. } = config.credentials else {
            panic!("client credentials expected");
        };
        assert_eq!((id.as_str(), secret.expose()), ("plant", "s3cret"));
    }

    #[test]
    fn plain_http_is_allowed_by_one_or_true_and_by_nothing_else() {
        for (value, allowed) in [
            ("1", true),
            ("true", true),
            ("0", false),
            ("false", false),
            ("yes", false),
        ] {
            let builder = Client::builder().allow_plain_http(!allowed);
            let set = builder
                .variables(|name| (name == "OBEYA_ALLOW_PLAIN_HTTP").then(|| value.to_owned()));
            assert_eq!(set.allow_plain_http, allowed, "{value}");
        }
        // Not set, or empty: as it was.
        let kept = Client::builder().allow_plain_http(true);
        assert!(kept.variables(|_| Some(" ".to_owned())).allow_plain_http);
    }

    #[test]
    fn everything_missing_is_named_at_once() {
        let error = from(&[("OBEYA_CLIENT_ID", "plant"), ("OBEYA_CLIENT_SECRET", "  ")])
            .require_environment()
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "not set in the environment: OBEYA_BASE_URL, OBEYA_CLIENT_SECRET"
        );
    }

    #[test]
    fn the_issuer_is_the_base_url_unless_said() {
        let config = Client::builder()
            .base_url("https://connect.example/api")
            .token("t")
            .config()
            .unwrap();
        assert_eq!(config.auth_url, config.base_url);
    }

    #[test]
    fn one_way_to_authenticate_is_needed_and_enough() {
        let reason = |builder: ClientBuilder| {
            builder
                .base_url("https://connect.example")
                .config()
                .unwrap_err()
                .to_string()
        };
        assert_eq!(reason(Client::builder()), "client_id is not set");
        assert_eq!(
            reason(Client::builder().client_id("a")),
            "client_secret is not set"
        );
        assert_eq!(
            reason(
                Client::builder()
                    .client_id("a")
                    .client_secret("b")
                    .token("c")
            ),
            "token: set client credentials, a token or anonymous: one of them"
        );
        assert_eq!(
            reason(Client::builder().token("a\nb")),
            "token: has characters that a header cannot contain"
        );
    }
}
