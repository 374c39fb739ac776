//! What to make: flags, answers to questions, and defaults. Nothing is made here.

use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use obeya_server::admin;

use super::questions;
use crate::database::{DatabaseUrlParser, is_database_url};

const LISTEN: &str = "127.0.0.1:8080";
const CLIENT: &str = "first";
const SCOPE: &str = "public.api.read";
/// The name of a new database in the folder.
pub(super) const DATABASE: &str = "plant.db";

/// Makes a folder that runs: a database, a first client and obeya.toml. It asks for what no flag gives, and
/// never replaces a file.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder, which is made if it is missing
    #[arg(value_name = "DIR", default_value = ".")]
    pub(super) folder: PathBuf,

    /// The new database: sqlite:FILE, by default plant.db in the folder; or an empty one on a server,
    /// postgres://USER:PASSWORD@HOST/NAME
    #[arg(long, value_name = "URL", env = "OBEYA_DB", hide_env_values = true, value_parser = DatabaseUrlParser)]
    db: Option<String>,

    /// The address on which the service listens, 127.0.0.1:8080 by default
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,

    /// A display name for the first client, "first" by default
    #[arg(long, value_name = "NAME")]
    client: Option<String>,

    /// A scope of the first client; may be repeated; public.api.read by default
    #[arg(long = "scope", value_name = "SCOPE", value_parser = PossibleValuesParser::new(admin::SCOPES))]
    scopes: Vec<String>,

    /// Writes the secret of the first client to this new file, which only its owner may read, instead of
    /// printing it
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,

    /// Asks nothing: what no flag gives has its default
    #[arg(long)]
    yes: bool,
}

/// What to make, with all answers.
pub(super) struct Plan {
    pub(super) folder: PathBuf,
    pub(super) db: String,
    pub(super) listen: SocketAddr,
    pub(super) client: String,
    pub(super) scopes: Vec<String>,
    pub(super) secret_file: Option<PathBuf>,
}

/// The flags, the answers to questions, and the defaults.
pub(super) fn plan(args: Args) -> Result<Plan> {
    let default_db = format!("sqlite:{}", args.folder.join(DATABASE).display());
    let is_complete = args.db.is_some()
        && args.listen.is_some()
        && args.client.is_some()
        && !args.scopes.is_empty();
    let asks = !args.yes && !is_complete;
    if asks && !io::stdin().is_terminal() {
        bail!("found no terminal to ask on; with --yes, what no flag gives has its default");
    }
    let mut questions = questions::on_terminal();
    let mut ask =
        |question: &str, default: &str, check: &dyn Fn(&str) -> Result<(), String>| match asks {
            false => Ok(default.to_owned()),
            true => questions.ask(question, default, |answer| {
                check(answer).map(|()| answer.to_owned())
            }),
        };
    let db = match args.db {
        Some(db) => db,
        None => ask(
            "Database (sqlite:FILE or postgres://USER@HOST/NAME)",
            &default_db,
            &|answer| match is_database_url(answer) {
                true => Ok(()),
                false => Err(
                    "expected sqlite: and a file name, or postgres://USER:PASSWORD@HOST/NAME"
                        .to_owned(),
                ),
            },
        )?,
    };
    let listen = match args.listen {
        Some(listen) => listen,
        None => ask("Address of the service", LISTEN, &|answer| {
            let address = answer.parse::<SocketAddr>();
            address
                .map(drop)
                .map_err(|error| format!("found `{answer}`: {error}"))
        })?
        .parse()?,
    };
    let client = match args.client {
        Some(client) => client,
        None => ask("Name of the first client", CLIENT, &|_| Ok(()))?,
    };
    let scopes = match args.scopes.is_empty() {
        false => args.scopes,
        true => {
            let list = ask("Its scopes, separated by spaces", SCOPE, &|answer| {
                let unknown = answer
                    .split_whitespace()
                    .find(|scope| !admin::SCOPES.contains(scope));
                match unknown {
                    Some(scope) => Err(format!(
                        "found `{scope}`, expected some of {}",
                        admin::SCOPES.join(" ")
                    )),
                    None => Ok(()),
                }
            })?;
            list.split_whitespace().map(str::to_owned).collect()
        }
    };
    Ok(Plan {
        folder: args.folder,
        db,
        listen,
        client,
        scopes,
        secret_file: args.secret_file,
    })
}
