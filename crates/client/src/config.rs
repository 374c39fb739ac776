//! The validated settings of a client.
//!
//! [`ClientBuilder`](crate::ClientBuilder) collects the settings; this module validates them. It does not
//! read the environment or connect.

use std::time::Duration;

use reqwest::Url;

use crate::error::ConfigError;
use crate::retry::RetryPolicy;
use crate::secret::Secret;

/// The complete, validated settings.
#[cfg_attr(
    target_arch = "wasm32",
    expect(dead_code, reason = "the browser decides about connections")
)]
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) base_url: Url,
    pub(crate) auth_url: Url,
    /// The token endpoint, if configured; otherwise discovered.
    pub(crate) token_url: Option<Url>,
    pub(crate) credentials: Credentials,
    /// Timeout of a whole call, including retries and waits.
    pub(crate) timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) retry: RetryPolicy,
    /// Maximum size of a decompressed response body.
    pub(crate) max_body_bytes: u64,
    pub(crate) user_agent: String,
    /// Whether secrets may be sent in plain HTTP to another machine.
    pub(crate) allow_plain_http: bool,
    /// Whether to request compressed responses; `None`: those of other machines.
    pub(crate) compression: Option<bool>,
    /// Whether the service supports `Idempotency-Key`; `None`: decided by the issuer's metadata.
    pub(crate) supports_idempotency_keys: Option<bool>,
}

/// How requests are authenticated.
#[derive(Clone, Debug)]
pub(crate) enum Credentials {
    /// Client credentials, exchanged for tokens at the issuer.
    Client {
        id: String,
        secret: Secret,
        /// The scopes to request; empty requests all granted ones.
        scopes: Vec<String>,
    },
    /// An existing token; never refreshed.
    Token(Secret),
    /// No `Authorization` header at all.
    Anonymous,
}

/// What a browser decides itself.
#[cfg(not(target_arch = "wasm32"))]
impl Config {
    /// Whether no address needs TLS, so that root certificates are not required.
    pub(crate) fn is_plain(&self) -> bool {
        self.addresses().all(|url| url.scheme() == "http")
    }

    fn addresses(&self) -> impl Iterator<Item = &Url> {
        [&self.base_url, &self.auth_url]
            .into_iter()
            .chain(&self.token_url)
    }

    /// Whether an address on this machine needs TLS.
    pub(crate) fn needs_tls_on_loopback(&self) -> bool {
        self.addresses()
            .any(|url| is_loopback(url) && url.scheme() == "https")
    }

    /// Whether all addresses are on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        self.addresses().all(is_loopback)
    }
}

impl Config {
    /// Refuses settings that send a secret in plain HTTP to another machine, unless they allow it.
    pub(crate) fn require_private(&self) -> Result<(), ConfigError> {
        match self.readable_secrets().next() {
            Some((secret, origin)) if !self.allow_plain_http => {
                Err(ConfigError::PlainHttp { secret, origin })
            }
            _ => Ok(()),
        }
    }

    /// Warnings about secrets that are sent in plain HTTP to another machine.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let warning = |(secret, origin)| {
            format!(
                "the {secret} is sent to {origin} without TLS and can be read in transit: use https"
            )
        };
        self.readable_secrets().map(warning).collect()
    }

    /// The secrets that are sent in plain HTTP to another machine, and to which origin.
    fn readable_secrets(&self) -> impl Iterator<Item = (&'static str, String)> {
        let endpoint = self.token_url.as_ref().unwrap_or(&self.auth_url);
        let sent = match &self.credentials {
            Credentials::Client { .. } => {
                vec![
                    ("client secret", endpoint),
                    ("access token", &self.base_url),
                ]
            }
            Credentials::Token(_) => vec![("access token", &self.base_url)],
            Credentials::Anonymous => Vec::new(),
        };
        sent.into_iter()
            .filter(|(_, url)| url.scheme() == "http" && !is_loopback(url))
            .map(|(secret, url)| (secret, url.origin().ascii_serialization()))
    }
}

/// Whether the URL is on this machine. Its requests then need no TLS, and must not pass a proxy.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => host
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback()),
        None => false,
    }
}

/// Parses a base URL: `http` or `https`, no trailing slash in its string form, no query, fragment or
/// credentials.
pub(crate) fn address(setting: &'static str, text: &str) -> Result<Url, ConfigError> {
    let invalid = |reason: String| ConfigError::Invalid { setting, reason };
    let url = Url::parse(text.trim()).map_err(|error| invalid(format!("not a URL: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid(format!(
            "the scheme must be http or https, not {}",
            url.scheme()
        )));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(invalid("must have no query and no fragment".to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid(
            "must not hold a user name or password; set client_id and client_secret".to_owned(),
        ));
    }
    Ok(url)
}

/// `base` with `path` appended; `path` begins with a slash.
pub(crate) fn join(base: &Url, path: &str) -> String {
    format!("{}{path}", base.as_str().trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked() {
        let reason = |text| address("base_url", text).map_err(|error| error.to_string());
        assert!(reason("https://connect.example/api/").is_ok());
        assert_eq!(
            reason("connect.example").unwrap_err(),
            "base_url: not a URL: relative URL without a base"
        );
        assert_eq!(
            reason("ftp://connect.example").unwrap_err(),
            "base_url: the scheme must be http or https, not ftp"
        );
        assert_eq!(
            reason("https://connect.example/?a=1").unwrap_err(),
            "base_url: must have no query and no fragment"
        );
        let leaky = reason("https://me:hunter2@connect.example").unwrap_err();
        assert!(!leaky.contains("hunter2"), "{leaky}");
    }

    #[test]
    fn this_machine_is_known_by_all_its_names() {
        let loopback = |base: &str, auth: &str| {
            let config = crate::Client::builder()
                .base_url(base)
                .auth_url(auth)
                .anonymous();
            config.config().unwrap().is_loopback()
        };
        for here in [
            "http://127.0.0.1:8080",
            "http://[::1]:8080/api",
            "http://localhost",
            "http://127.3.4.5",
        ] {
            assert!(loopback(here, here), "{here}");
            assert!(!loopback(here, "https://login.example"), "{here}");
        }
        for elsewhere in [
            "http://10.0.0.1",
            "https://localhost.example",
            "http://[2001:db8::1]",
        ] {
            assert!(!loopback(elsewhere, elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn secrets_that_can_be_read_on_the_way_are_refused_and_where_allowed_warned_of() {
        let warnings = |base: &str, auth: &str| {
            let client = crate::Client::builder().base_url(base).auth_url(auth);
            let client = client.client_id("plant").client_secret("hunter2");
            let allowed = client.clone().allow_plain_http(true).config();
            let warnings = allowed.unwrap().warnings();
            let refused = client.config().err().map(|error| error.to_string());
            // Refused for the first secret that a warning would be about.
            assert_eq!(refused.is_some(), !warnings.is_empty(), "{base} {auth}");
            if let (Some(refused), Some(warning)) = (refused, warnings.first()) {
                let said = warning.split(" without TLS").next().unwrap();
                assert_eq!(
                    refused,
                    format!(
                        "{} without TLS and could be read in transit: use https, or allow it by allow_plain_http (OBEYA_ALLOW_PLAIN_HTTP=1)",
                        said.replace(" is sent", " would be sent")
                    )
                );
            }
            warnings
        };
        let (plain, tls) = ("http://plant.example:8080", "https://plant.example");
        let here = "http://127.0.0.1:8080";
        let secret = "the client secret is sent to http://plant.example:8080 without TLS and can be read in transit: use https";
        let token = secret.replace("client secret", "access token");
        assert_eq!(warnings(plain, plain), [secret, &token]);
        assert_eq!(warnings(tls, plain), [secret]);
        assert_eq!(warnings(plain, tls), [token.as_str()]);
        for (base, auth) in [
            (tls, tls),
            (here, here),
            ("http://[::1]", "http://localhost"),
        ] {
            assert!(warnings(base, auth).is_empty(), "{base} {auth}");
        }
        let builder = || crate::Client::builder().base_url(plain);
        let with_token = builder().token("t");
        assert_eq!(
            with_token.clone().config().unwrap_err(),
            ConfigError::PlainHttp {
                secret: "access token",
                origin: plain.to_owned()
            }
        );
        let allowed = with_token.allow_plain_http(true).config();
        assert_eq!(allowed.unwrap().warnings(), [token]);
        assert!(
            builder()
                .anonymous()
                .config()
                .unwrap()
                .warnings()
                .is_empty()
        );
        // The secret is sent to that endpoint, wherever the issuer is.
        let named = crate::Client::builder()
            .base_url(tls)
            .token_url("http://b.example/token");
        let named = named.client_id("plant").client_secret("hunter2");
        assert_eq!(
            named.config().unwrap_err(),
            ConfigError::PlainHttp {
                secret: "client secret",
                origin: "http://b.example".to_owned()
            }
        );
    }

    #[test]
    fn paths_are_appended_with_one_slash() {
        for base in [
            "https://connect.example/api",
            "https://connect.example/api/",
        ] {
            let base = address("base_url", base).unwrap();
            assert_eq!(
                join(&base, "/v2/areas"),
                "https://connect.example/api/v2/areas"
            );
        }
    }
}
