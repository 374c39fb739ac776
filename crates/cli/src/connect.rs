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
        Ok(match self.auth_url.as_deref().map(str::trim) {
            // A variable that is set to nothing is none.
            None | Some("") => builder,
            Some(url) => builder.auth_url(url),
        })
    }

    /// The client.
    ///
    /// # Errors
    /// Those of [`Connect::builder`], and what is wrong with the addresses.
    pub(crate) fn client(&self) -> Result<Client> {
        Ok(self.builder()?.build()?)
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
