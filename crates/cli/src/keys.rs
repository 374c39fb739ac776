//! `obeya keys`: manages the keys that sign access tokens.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use obeya_server::{KeyEncryptionKey, admin};
use serde_json::json;

use crate::database::DatabaseArg;
use crate::table::table;

/// The environment variable with the key itself. There is no option for it: others can read the arguments of
/// a process.
const KEY_VARIABLE: &str = "OBEYA_KEY_ENCRYPTION_KEY";

/// The key that encrypts the signing keys in the database.
#[derive(clap::Args)]
pub(crate) struct KeyEncryptionArg {
    /// A file with the key that encrypts the signing keys in the database: 32 random bytes in base64, as
    /// `openssl rand -base64 32` prints them. OBEYA_KEY_ENCRYPTION_KEY may have the key itself instead
    #[arg(
        long = "key-encryption-file",
        env = "OBEYA_KEY_ENCRYPTION_FILE",
        value_name = "FILE"
    )]
    file: Option<PathBuf>,
}

impl KeyEncryptionArg {
    /// The key, if one is given.
    pub(crate) fn read(&self) -> Result<Option<KeyEncryptionKey>> {
        let variable = std::env::var_os(KEY_VARIABLE).filter(|text| !text.is_empty());
        let text = match (&self.file, variable) {
            (Some(_), Some(_)) => {
                bail!(
                    "both a key encryption file and {KEY_VARIABLE} are given; expected one of them"
                )
            }
            (Some(file), None) => std::fs::read_to_string(file).with_context(|| {
                format!("cannot read the key encryption file {}", file.display())
            })?,
            (None, Some(text)) => text.to_string_lossy().into_owned(),
            (None, None) => return Ok(None),
        };
        Ok(Some(text.parse()?))
    }
}

/// Lists, rotates and retires the keys that sign access tokens.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Lists the keys whose tokens are accepted
    List {
        #[command(flatten)]
        database: DatabaseArg,
        /// Prints the result as a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Creates a new key, which signs from a minute later; tokens of the old keys stay valid until they
    /// expire
    Rotate {
        #[command(flatten)]
        database: DatabaseArg,
        /// The longest --token-lifetime of a service over this database, in seconds: how long the old keys
        /// stay
        #[arg(long, value_name = "SECONDS", default_value_t = 86_400, value_parser = clap::value_parser!(u64).range(1..=315_360_000))]
        token_lifetime: u64,
        #[command(flatten)]
        encryption: KeyEncryptionArg,
    },
    /// Removes a key that leaked: running services refuse its tokens within 20 seconds. Creates a new key if
    /// none is left to sign with
    Retire {
        /// The id of the key
        // Ids of earlier versions can begin with a hyphen.
        #[arg(allow_hyphen_values = true)]
        kid: String,
        #[command(flatten)]
        database: DatabaseArg,
        #[command(flatten)]
        encryption: KeyEncryptionArg,
    },
}

/// Runs the subcommand.
pub(crate) async fn run(command: Command) -> Result<()> {
    let mut out = io::stdout();
    match command {
        Command::List { database, json } => list(&mut out, database.existing()?, json).await?,
        Command::Rotate {
            database,
            token_lifetime,
            encryption,
        } => {
            let lifetime = Duration::from_secs(token_lifetime);
            let kid =
                admin::rotate_keys(database.existing()?, lifetime, encryption.read()?.as_ref())
                    .await
                    .context("no key was created")?;
            writeln!(out, "created {kid}")?;
        }
        Command::Retire {
            kid,
            database,
            encryption,
        } => {
            let created =
                admin::retire_key(database.existing()?, &kid, encryption.read()?.as_ref())
                    .await
                    .context("the key was not retired")?;
            writeln!(out, "retired {kid}")?;
            if let Some(created) = created {
                writeln!(out, "created {created}")?;
            }
        }
    }
    Ok(())
}

async fn list(out: &mut io::Stdout, db: &str, json: bool) -> Result<()> {
    let keys = admin::list_keys(db)
        .await
        .context("the keys cannot be listed")?;
    if json {
        let object = |key: admin::KeyInfo| {
            json!({
                "kid": key.kid, "created_at": key.created_at.to_string(),
                "expires_at": key.expires_at.map(|at| at.to_string()), "encrypted": key.is_encrypted,
            })
        };
        let array: Vec<_> = keys.into_iter().map(object).collect();
        writeln!(out, "{}", serde_json::Value::from(array))?;
        return Ok(());
    }
    let mut rows = table(&["Key", "Created", "Expires", "Encrypted"], &[]);
    for key in keys {
        rows.add_row([
            key.kid,
            format!("{:.0}", key.created_at),
            key.expires_at
                .map_or_else(String::new, |at| format!("{at:.0}")),
            if key.is_encrypted { "yes" } else { "no" }.to_owned(),
        ]);
    }
    writeln!(out, "{rows}")?;
    Ok(())
}
