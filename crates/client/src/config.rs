//! The settings of a client, checked.
//!
//! [`ClientBuilder`](crate::ClientBuilder) collects what the caller says, this module decides whether it can
//! work. Nothing here reads the environment or opens a connection.

use std::time::Duration;

use reqwest::Url;

use crate::error::ConfigError;
use crate::retry::RetryPolicy;
use crate::secret::Secret;

/// Everything a client needs to know, complete and checked.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) base_url: Url,
    pub(crate) auth_url: Url,
    /// The token endpoint, where it is not for the issuer to name it.
    pub(crate) token_url: Option<Url>,
    pub(crate) credentials: Credentials,
    /// Limit of a whole call, retries and waits included.
    pub(crate) timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) retry: RetryPolicy,
    /// Limit of a decompressed response body.
    pub(crate) max_body_bytes: u64,
    pub(crate) user_agent: String,
    /// Whether to ask for compressed answers; decided by [`Config::is_loopback`] if nobody said.
    pub(crate) compression: Option<bool>,
    /// Whether the service keeps to `Idempotency-Key`; its issuer is asked if nobody said.
    pub(crate) keeps_to_keys: Option<bool>,
}

/// How requests prove who sends them.
#[derive(Clone, Debug)]
pub(crate) enum Credentials {
    /// Client credentials, exchanged for tokens at the issuer.
    Client {
        id: String,
        secret: Secret,
        /// What to ask for; empty asks for everything granted.
        scopes: Vec<String>,
    },
    /// A token got elsewhere; never refreshed.
    Token(Secret),
    /// No `Authorization` header at all.
    Anonymous,
}

impl Config {
    /// True when neither address needs TLS, so that a system without root certificates is no obstacle.
    pub(crate) fn is_plain(&self) -> bool {
        self.addresses().all(|url| url.scheme() == "http")
    }

    fn addresses(&self) -> impl Iterator<Item = &Url> {
        [&self.base_url, &self.auth_url]
            .into_iter()
            .chain(&self.token_url)
    }

    /// True when nothing leaves this machine. Then compression only costs time, and a proxy must not be
    /// asked.
    pub(crate) fn is_loopback(&self) -> bool {
        self.addresses().all(is_loopback)
    }

    /// What is sent so that anybody on the way can read it: plain HTTP to another machine.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let warning = |what: &str, url: &Url| {
            let readable = url.scheme() == "http" && !is_loopback(url);
            let origin = url.origin().ascii_serialization();
            readable.then(|| {
                format!(
                    "{what} goes to {origin} without TLS, and can be read on the way: use https"
                )
            })
        };
        let token = || warning("the access token", &self.base_url);
        let warnings = match &self.credentials {
            Credentials::Client { .. } => {
                let endpoint = self.token_url.as_ref().unwrap_or(&self.auth_url);
                [warning("the client secret", endpoint), token()]
            }
            Credentials::Token(_) => [None, token()],
            Credentials::Anonymous => [None, None],
        };
        warnings.into_iter().flatten().collect()
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => host
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback()),
        None => false,
    }
}

/// Parses an address that paths are appended to: `http` or `https`, no trailing slash in its string form, and
/// nothing in it that could not be part of every request.
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
                .token("t");
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
    fn secrets_that_can_be_read_on_the_way_are_warned_of() {
        let warnings = |base: &str, auth: &str| {
            let client = crate::Client::builder().base_url(base).auth_url(auth);
            let config = client.client_id("plant").client_secret("hunter2").config();
            config.unwrap().warnings()
        };
        let (plain, tls) = ("http://plant.example:8080", "https://plant.example");
        let here = "http://127.0.0.1:8080";
        let secret = "the client secret goes to http://plant.example:8080 without TLS, and can be read on the way: use https";
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
        assert_eq!(builder().token("t").config().unwrap().warnings(), [token]);
        assert!(
            builder()
                .anonymous()
                .config()
                .unwrap()
                .warnings()
                .is_empty()
        );
        // It goes to that endpoint, wherever the issuer is.
        let named = crate::Client::builder()
            .base_url(tls)
            .token_url("http://b.example/token");
        let named = named
            .client_id("plant")
            .client_secret("hunter2")
            .config()
            .unwrap();
        assert_eq!(named.warnings().len(), 1);
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
