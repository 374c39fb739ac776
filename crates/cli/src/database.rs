//! The `--db` argument: the URL of a database.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Result, bail};
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command};

/// The database a command works on.
#[derive(clap::Args)]
pub(crate) struct DatabaseArg {
    /// The database: sqlite:FILE or postgres://USER:PASSWORD@HOST/NAME
    #[arg(id = "db", long = "db", value_name = "URL", env = "OBEYA_DB", hide_env_values = true, value_parser = DatabaseUrlParser)]
    pub(crate) url: String,
}

impl DatabaseArg {
    /// The URL; refuses a SQLite file that does not exist, for commands that would only create an empty one.
    pub(crate) fn existing(&self) -> Result<&str> {
        match sqlite_file(&self.url) {
            Some(path) if !path.exists() => bail!("there is no database {}", path.display()),
            _ => Ok(&self.url),
        }
    }
}

/// Checks the form of a database URL while arguments are parsed, so that a mistake counts as wrong usage. An
/// invalid value is quoted only if it cannot contain a password.
#[derive(Clone)]
pub(crate) struct DatabaseUrlParser;

impl TypedValueParser for DatabaseUrlParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let text = value.to_str().unwrap_or_default();
        if is_database_url(text) {
            return Ok(text.to_owned());
        }
        let found = match text.contains('@') || text.is_empty() {
            true => "an invalid address".to_owned(),
            false => format!("`{text}`"),
        };
        let option = argument.map(ToString::to_string).unwrap_or_default();
        let message = format!(
            "invalid value for '{option}': found {found}, expected sqlite: and a file name, such as sqlite:plant.db, or postgres://USER:PASSWORD@HOST/NAME"
        );
        Err(command.clone().error(ErrorKind::ValueValidation, message))
    }
}

/// Whether a text is the URL of a database.
pub(crate) fn is_database_url(text: &str) -> bool {
    let is_server = ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| text.len() > scheme.len() && text.starts_with(scheme));
    is_server || sqlite_file(text).is_some_and(|path| !path.as_os_str().is_empty())
}

/// The file that a `sqlite:` URL names.
pub(crate) fn sqlite_file(url: &str) -> Option<&Path> {
    url.strip_prefix("sqlite:").map(Path::new)
}
