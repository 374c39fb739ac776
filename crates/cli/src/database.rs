//! The `--db` argument: the address of a database.

use std::path::Path;

use anyhow::{Result, bail};

/// Which database a command works on.
#[derive(clap::Args)]
pub(crate) struct Database {
    /// The database, as sqlite:FILE; the file is made if it is missing
    #[arg(long = "db", value_name = "sqlite:FILE", env = "OBEYA_DB", value_parser = address)]
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
    match file(text) {
        Some(path) if !path.as_os_str().is_empty() => Ok(text.to_owned()),
        _ => Err(format!(
            "found `{text}`, expected sqlite: and a file name, such as sqlite:plant.db"
        )),
    }
}

/// The file an address names.
pub(crate) fn file(url: &str) -> Option<&Path> {
    url.strip_prefix("sqlite:").map(Path::new)
}
