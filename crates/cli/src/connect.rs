//! The address and the credentials of the service a command connects to, from flags or the environment.
//!
//! There is no flag for the secret, since every user of the machine can read the arguments of a process.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use obeya::{Client, ClientBuilder};

/// The service and the client's credentials.
#[derive(clap::Args)]
pub(crate) struct ConnectArgs {
    /// Base URL of the API
    #[arg(
        long,
        value_name = "URL",
        env = "OBEYA_BASE_URL",
        help_heading = "Service"
    )]
    url: String,

    /// The client_id to request a token with. The secret is read from OBEYA_CLIENT_SECRET or --secret-file
    #[arg(
        long,
        value_name = "ID",
        env = "OBEYA_CLIENT_ID",
        help_heading = "Service"
    )]
    client_id: String,

    #[command(flatten)]
    issuer: IssuerArgs,
}

/// Where and how a client requests tokens.
#[derive(clap::Args)]
pub(crate) struct IssuerArgs {
    /// URL of the token issuer, if it differs from the API's
    #[arg(
        long,
        value_name = "URL",
        env = "OBEYA_AUTH_URL",
        help_heading = "Service"
    )]
    auth_url: Option<String>,

    /// URL of the token endpoint, if it is on another host than the issuer. The secret is sent only to the
    /// issuer's host or this one
    #[arg(
        long,
        value_name = "URL",
        env = "OBEYA_TOKEN_URL",
        help_heading = "Service"
    )]
    token_url: Option<String>,

    /// Sends the secret and tokens in plain HTTP to another machine, where everyone in between can read them.
    /// Without this flag such an address is refused. In the environment: 1 or true
    #[arg(
        long,
        env = "OBEYA_ALLOW_PLAIN_HTTP",
        value_parser = is_allowed,
        help_heading = "Service"
    )]
    allow_plain_http: bool,

    /// A file that contains only the client's secret
    #[arg(
        long,
        value_name = "FILE",
        env = "OBEYA_CLIENT_SECRET_FILE",
        help_heading = "Service"
    )]
    secret_file: Option<PathBuf>,
}

impl ConnectArgs {
    /// A client builder with these settings, to which a command may add its own.
    ///
    /// # Errors
    /// When no secret is given, or its file cannot be read.
    pub(crate) fn builder(&self) -> Result<ClientBuilder> {
        self.issuer.builder(&self.url, &self.client_id)
    }

    /// Builds the client. Prints its warnings about insecure addresses to stderr.
    ///
    /// # Errors
    /// Those of [`ConnectArgs::builder`], invalid addresses, and insecure ones that are not allowed.
    pub(crate) fn client(&self) -> Result<Client> {
        let client = self.builder()?.build()?;
        for warning in client.warnings() {
            eprintln!("warning: {warning}");
        }
        Ok(client)
    }

    /// What identifies the data this client can see: the service's address and the client_id.
    pub(crate) fn identity(&self) -> (&str, &str) {
        (self.url.trim().trim_end_matches('/'), self.client_id.trim())
    }
}

impl IssuerArgs {
    /// A client builder for this service and client.
    ///
    /// # Errors
    /// When no secret is given, or its file cannot be read.
    pub(crate) fn builder(&self, url: &str, client_id: &str) -> Result<ClientBuilder> {
        let builder = Client::builder()
            .base_url(url.trim())
            .client_id(client_id.trim())
            .client_secret(self.secret()?)
            .allow_plain_http(self.allow_plain_http);
        // An empty variable counts as not set.
        let given = |url: &Option<String>| {
            let url = url.as_deref().map(str::trim);
            url.filter(|url| !url.is_empty()).map(str::to_owned)
        };
        let builder = match given(&self.auth_url) {
            Some(url) => builder.auth_url(url),
            None => builder,
        };
        Ok(match given(&self.token_url) {
            Some(url) => builder.token_url(url),
            None => builder,
        })
    }

    fn secret(&self) -> Result<String> {
        let secret = match &self.secret_file {
            Some(file) => std::fs::read_to_string(file)
                .with_context(|| format!("the secret cannot be read from {}", file.display()))?,
            None => std::env::var("OBEYA_CLIENT_SECRET").unwrap_or_default(),
        };
        let secret = secret.trim();
        if secret.is_empty() {
            match &self.secret_file {
                Some(file) => bail!("found no secret in {}", file.display()),
                None => bail!(
                    "found no client secret, expected it in OBEYA_CLIENT_SECRET or in the file that --secret-file names"
                ),
            }
        }
        Ok(secret.to_owned())
    }
}

/// The value of `OBEYA_ALLOW_PLAIN_HTTP`, as the SDK reads it: whatever is not clearly a yes is a no.
fn is_allowed(text: &str) -> Result<bool, std::convert::Infallible> {
    Ok(matches!(text.trim(), "1" | "true"))
}
