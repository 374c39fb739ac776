//! `obeya client`: manages the API clients that may request tokens.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::builder::PossibleValuesParser;
use obeya_server::admin::{self, ClientChanges};
use obeya_server::{GrantedRecord, Network, RateLimit};
use serde_json::json;

use crate::database::DatabaseArg;
use crate::table::table;

/// Creates, lists, changes and revokes API clients.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Creates a client and prints its secret, which cannot be shown again
    Add {
        /// A display name for the client
        name: String,
        #[command(flatten)]
        database: DatabaseArg,
        /// A scope to grant; may be repeated
        #[arg(long = "scope", value_name = "SCOPE", required = true, value_parser = PossibleValuesParser::new(admin::SCOPES))]
        scopes: Vec<String>,
        /// A record to which the client is restricted, such as area=3, datasource=12, group=7 or
        /// incident-type=2; may be repeated
        #[arg(long = "only", value_name = "KIND=ID")]
        grants: Vec<GrantedRecord>,
        /// Prints the result as a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Lists all clients, including revoked ones
    List {
        #[command(flatten)]
        database: DatabaseArg,
        /// Prints the result as a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Gives a client a new secret and prints it; the present one stays valid for a while
    RotateSecret {
        /// The client_id of the client
        client_id: String,
        #[command(flatten)]
        database: DatabaseArg,
        /// How long the present secret stays valid, such as 24h or 30m; 0s: not at all, if it leaked
        #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = duration)]
        overlap: Duration,
        /// Prints the result as a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Changes what a client may do. Its tokens lose at once what is taken away; running services read the
    /// change within 20 seconds
    Set {
        /// The client_id of the client
        client_id: String,
        #[command(flatten)]
        database: DatabaseArg,
        #[command(flatten)]
        changes: Changes,
    },
    /// Revokes a client: it gets no new tokens, and its existing tokens are refused
    Revoke {
        /// The client_id of the client
        client_id: String,
        #[command(flatten)]
        database: DatabaseArg,
    },
}

/// The settings to change.
#[derive(clap::Args)]
#[group(required = true, multiple = true)]
pub(crate) struct Changes {
    /// A scope to grant instead of the present ones; may be repeated
    #[arg(long = "scope", value_name = "SCOPE", value_parser = PossibleValuesParser::new(admin::SCOPES))]
    scopes: Vec<String>,
    /// When the client expires, such as 2030-01-01T00:00:00Z; or never
    #[arg(long, value_name = "TIME", value_parser = or_none::<jiff::Timestamp>("never"))]
    expires: Option<Setting<jiff::Timestamp>>,
    /// A network from which the client may call, such as 10.0.0.0/8 or 10.1.2.3; may be repeated; or any
    #[arg(long = "allow-from", value_name = "NETWORK", value_parser = or_none::<Network>("any"))]
    networks: Vec<Setting<Network>>,
    /// The most requests of the client in a number of seconds, such as 100/60; or none, for the service's own
    /// limit
    #[arg(long, value_name = "REQUESTS/SECONDS", value_parser = or_none::<RateLimit>("none"))]
    rate: Option<Setting<RateLimit>>,
    /// A record to which the client is restricted, such as area=3, datasource=12, group=7 or incident-type=2;
    /// may be repeated; or none, to restrict it no more
    #[arg(long = "only", value_name = "KIND=ID", value_parser = or_none::<GrantedRecord>("none"))]
    grants: Vec<Setting<GrantedRecord>>,
}

/// The value of a setting, or none. `Option` has a meaning of its own for the parser of arguments.
#[derive(Debug, Clone)]
struct Setting<T>(Option<T>);

/// A parser of values in which one word stands for none.
fn or_none<T: FromStr<Err: Display>>(
    none: &'static str,
) -> impl Fn(&str) -> Result<Setting<T>, String> + Clone + Send + Sync {
    move |text| match text == none {
        true => Ok(Setting(None)),
        false => match text.parse() {
            Ok(value) => Ok(Setting(Some(value))),
            Err(error) => Err(format!("{error}; or `{none}`")),
        },
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let parsed: jiff::SignedDuration = text
        .parse()
        .map_err(|error: jiff::Error| error.to_string())?;
    Duration::try_from(parsed).map_err(|_| "expected a duration from 0s".to_owned())
}

impl From<Changes> for ClientChanges {
    fn from(changes: Changes) -> Self {
        let Changes {
            scopes,
            expires,
            networks,
            rate,
            grants,
        } = changes;
        Self {
            scopes: (!scopes.is_empty()).then_some(scopes),
            expires_at: expires.map(|Setting(at)| at),
            networks: listed(networks),
            rate: rate.map(|Setting(rate)| rate),
            grants: listed(grants),
        }
    }
}

/// The values of a setting that may be repeated, if it is given.
fn listed<T>(settings: Vec<Setting<T>>) -> Option<Vec<T>> {
    let values = |settings: Vec<Setting<T>>| settings.into_iter().filter_map(|it| it.0).collect();
    (!settings.is_empty()).then(|| values(settings))
}

/// Runs the subcommand.
pub(crate) async fn run(command: Command) -> Result<()> {
    let mut out = io::stdout();
    match command {
        Command::Add {
            name,
            database,
            scopes,
            grants,
            json,
        } => {
            let added = match grants.is_empty() {
                true => admin::add_client(&database.url, &name, &scopes).await,
                false => admin::add_restricted_client(&database.url, &name, &scopes, &grants).await,
            };
            let client = added.context("the client was not created")?;
            show(&mut out, &client, json).with_context(|| {
                format!("the client {} was created, but its secret could not be printed and is lost; revoke it and create another", client.client_id)
            })?;
        }
        Command::List { database, json } => list(&mut out, database.existing()?, json).await?,
        Command::RotateSecret {
            client_id,
            database,
            overlap,
            json,
        } => {
            let client = admin::rotate_secret(database.existing()?, &client_id, overlap)
                .await
                .context("the secret was not rotated")?;
            show(&mut out, &client, json).with_context(|| {
                format!("the client {client_id} has a new secret, but it could not be printed and is lost; rotate it again")
            })?;
        }
        Command::Set {
            client_id,
            database,
            changes,
        } => {
            admin::set_client(database.existing()?, &client_id, &changes.into())
                .await
                .context("the client was not changed")?;
            writeln!(out, "changed {client_id}")?;
        }
        Command::Revoke {
            client_id,
            database,
        } => {
            admin::revoke_client(database.existing()?, &client_id)
                .await
                .context("the client was not revoked")?;
            writeln!(out, "revoked {client_id}")?;
        }
    }
    Ok(())
}

/// Prints a client with its secret.
pub(crate) fn show(out: &mut io::Stdout, client: &admin::NewClient, json: bool) -> io::Result<()> {
    if json {
        let object = json!({
            "client_id": client.client_id, "client_secret": client.client_secret, "name": client.name, "scopes": client.scopes,
        });
        return writeln!(out, "{object}");
    }
    writeln!(out, "client_id      {}", client.client_id)?;
    writeln!(out, "client_secret  {}", client.client_secret)?;
    writeln!(out, "scopes         {}", client.scopes.join(" "))?;
    writeln!(out, "The secret is not stored and will not be shown again.")
}

async fn list(out: &mut io::Stdout, db: &str, json: bool) -> Result<()> {
    let clients = admin::list_clients(db)
        .await
        .context("the clients cannot be listed")?;
    if json {
        let array: Vec<_> = clients
            .iter()
            .map(|client| {
                json!({
                    "client_id": client.client_id, "name": client.name, "scopes": client.scopes,
                    "created_at": client.created_at.to_string(), "revoked_at": client.revoked_at.map(|at| at.to_string()),
                    "expires_at": client.expires_at.map(|at| at.to_string()), "networks": names(&client.networks),
                    "rate": client.rate.map(|rate| rate.to_string()), "only": names(&client.grants),
                    "previous_secret_expires_at": client.previous_secret_expires_at.map(|at| at.to_string()),
                })
            })
            .collect();
        writeln!(out, "{}", serde_json::Value::from(array))?;
        return Ok(());
    }
    let columns = [
        "client_id",
        "Name",
        "Scopes",
        "Created",
        "Revoked",
        "Expires",
        "Networks",
        "Rate",
        "Only",
    ];
    let mut rows = table(&columns, &[]);
    let time = |at: Option<jiff::Timestamp>| at.map_or_else(String::new, |at| format!("{at:.0}"));
    for client in clients {
        rows.add_row([
            client.client_id,
            obeya::printable(&client.name).into_owned(),
            client.scopes.join(" "),
            format!("{:.0}", client.created_at),
            time(client.revoked_at),
            time(client.expires_at),
            names(&client.networks).join(" "),
            client
                .rate
                .map_or_else(String::new, |rate| rate.to_string()),
            names(&client.grants).join(" "),
        ]);
    }
    writeln!(out, "{rows}")?;
    Ok(())
}

fn names<T: ToString>(values: &[T]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}
