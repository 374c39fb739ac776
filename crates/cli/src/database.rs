//! The `--db` argument: the address of a database.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Result, bail};
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command};

/// Which database a command works on.
#[derive(clap::Args)]
pub(crate) struct Database {
    /// The database: sqlite:FILE or postgres://USER:PASSWORD@HOST/NAME
    #[arg(long = "db", value_name = "URL", env = "OBEYA_DB", hide_env_values = true, value_parser = Address)]
    pub(crate) url: String,
}

impl Database {
    /// Refuses a database that is not there, for commands that would only make an empty one.
    pub(crate) fn existing(&self) -> Result<&str> {
        match file(&self.url) {
            Some(path) if !path.exists() => bail!("there is no database {}", path.display()),
            _ => Ok(&self.url),
        }
    }
}

/// Reads an address and checks its form, so that a slip is wrong usage and not a failure half way. What is
/// none is only shown where it cannot hold a password.
#[derive(Clone)]
pub(crate) struct Address;

impl TypedValueParser for Address {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let text = value.to_str().unwrap_or_default();
        if is_address(text) {
            return Ok(text.to_owned());
        }
        let found = match text.contains('@') || text.is_empty() {
            true => "what is no address".to_owned(),
            false => format!("`{text}`"),
        };
        let option = argument.map(ToString::to_string).unwrap_or_default();
        let message = format!(
            "invalid value for '{option}': found {found}, expected sqlite: and a file name, such as sqlite:plant.db, or postgres://USER:PASSWORD@HOST/NAME"
        );
        Err(command.clone().error(ErrorKind::ValueValidation, message))
    }
}

/// Whether a text is the address of a database.
pub(crate) fn is_address(text: &str) -> bool {
    let is_server = ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| text.len() > scheme.len() && text.starts_with(scheme));
    is_server || file(text).is_some_and(|path| !path.as_os_str().is_empty())
}

/// The file an address names.
pub(crate) fn file(url: &str) -> Option<&Path> {
    url.strip_prefix("sqlite:").map(Path::new)
}
