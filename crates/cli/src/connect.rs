//! Which service a command talks to, and as whom: by the environment or by flags.
//!
//! A secret is never a flag, since anybody on the machine can read the arguments of a process.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use obeya::{Client, ClientBuilder};

/// The service, and the client that asks it.
#[derive(clap::Args)]
pub(crate) struct Connect {
    /// Address of the API
    #[arg(
        long,
        value_name = "URL",
        env = "OBEYA_BASE_URL",
        help_heading = "Service"
    )]
    url: String,

    /// Address of the token issuer, where it is another than that of the API
    #[arg(
        long,
        value_name = "URL",
        env = "OBEYA_AUTH_URL",
        help_heading = "Service"
    )]
    auth_url: Option<String>,

    /// Address of the token endpoint, where it is on another host than the issuer: the secret is sent nowhere
    /// else
    #[arg(
        long,
        value_name = "URL",
        env = "OBEYA_TOKEN_URL",
        help_heading = "Service"
    )]
    token_url: Option<String>,

    /// The client that asks for a token. Its secret is in OBEYA_CLIENT_SECRET or a file
    #[arg(
        long,
        value_name = "ID",
        env = "OBEYA_CLIENT_ID",
        help_heading = "Service"
    )]
    client_id: String,

    /// A file that holds the client's secret, and nothing else
    #[arg(
        long,
        value_name = "FILE",
        env = "OBEYA_CLIENT_SECRET_FILE",
        help_heading = "Service"
    )]
    secret_file: Option<PathBuf>,
}

impl Connect {
    /// The settings of a client, for what a command adds to them.
    ///
    /// # Errors
    /// When no secret is given, or its file cannot be read.
    pub(crate) fn builder(&self) -> Result<ClientBuilder> {
        let builder = Client::builder()
            .base_url(self.url.trim())
            .client_id(self.client_id.trim())
            .client_secret(self.secret()?);
        // A variable that is set to nothing is none.
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

    /// The client. Says on stderr what its addresses let others read.
    ///
    /// # Errors
    /// Those of [`Connect::builder`], and what is wrong with the addresses.
    pub(crate) fn client(&self) -> Result<Client> {
        let client = self.builder()?.build()?;
        for warning in client.warnings() {
            eprintln!("warning: {warning}");
        }
        Ok(client)
    }

    /// What tells this copy of the service's data from those that others see: the address and the client.
    pub(crate) fn identity(&self) -> (&str, &str) {
        (self.url.trim().trim_end_matches('/'), self.client_id.trim())
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
                    "found no secret of the client, expected it in OBEYA_CLIENT_SECRET or a file that --secret-file names"
                ),
            }
        }
        Ok(secret.to_owned())
    }
}
