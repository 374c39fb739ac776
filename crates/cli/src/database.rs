//! The `--db` argument: the address of a database.

use std::path::Path;

use anyhow::{Result, bail};

/// Which database a command works on.
#[derive(clap::Args)]
pub(crate) struct Database {
    /// The database: sqlite:FILE, made if it is missing, or postgres://USER:PASSWORD@HOST/NAME
    #[arg(long = "db", value_name = "URL", env = "OBEYA_DB", hide_env_values = true, value_parser = address)]
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

/// Checks the form of an address, so that a slip is wrong usage and not a failure half way.
pub(crate) fn address(text: &str) -> Result<String, String> {
    let is_server = ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| text.len() > scheme.len() && text.starts_with(scheme));
    let is_file = file(text).is_some_and(|path| !path.as_os_str().is_empty());
    if is_server || is_file {
        return Ok(text.to_owned());
    }
    Err(format!(
        "found `{text}`, expected sqlite: and a file name, such as sqlite:plant.db, or postgres://USER:PASSWORD@HOST/NAME"
    ))
}

/// The file an address names.
pub(crate) fn file(url: &str) -> Option<&Path> {
    url.strip_prefix("sqlite:").map(Path::new)
}
