//! `obeya client`: who may ask for tokens.

use std::io::{self, Write as _};

use anyhow::{Context as _, Result};
use clap::builder::PossibleValuesParser;
use obeya_server::admin;
use serde_json::json;

use crate::database::Database;
use crate::table::table;

/// Makes, lists and revokes clients.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Makes a client, and shows its secret this once
    Add {
        /// What people call it
        name: String,
        #[command(flatten)]
        database: Database,
        /// A scope it is granted; may be given several times
        #[arg(long = "scope", value_name = "SCOPE", required = true, value_parser = PossibleValuesParser::new(admin::SCOPES))]
        scopes: Vec<String>,
        /// Prints one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Lists the clients, the revoked ones too
    List {
        #[command(flatten)]
        database: Database,
        /// Prints a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Revokes a client: it gets no more tokens, and those it has are refused
    Revoke {
        /// The client_id
        client_id: String,
        #[command(flatten)]
        database: Database,
    },
}

/// Does what is asked.
pub(crate) async fn run(command: Command) -> Result<()> {
    let mut out = io::stdout();
    match command {
        Command::Add {
            name,
            database,
            scopes,
            json,
        } => {
            let client = admin::add_client(&database.url, &name, &scopes)
                .await
                .context("the client was not made")?;
            show(&mut out, &client, json).with_context(|| {
                format!("the client {} was made, but its secret could not be printed and is lost; revoke it and make another", client.client_id)
            })?;
        }
        Command::List { database, json } => list(&mut out, database.existing()?, json).await?,
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

fn show(out: &mut io::Stdout, client: &admin::NewClient, json: bool) -> io::Result<()> {
    if json {
        let object = json!({
            "client_id": client.client_id, "client_secret": client.client_secret, "name": client.name, "scopes": client.scopes,
        });
        return writeln!(out, "{object}");
    }
    writeln!(out, "client_id      {}", client.client_id)?;
    writeln!(out, "client_secret  {}", client.client_secret)?;
    writeln!(out, "scopes         {}", client.scopes.join(" "))?;
    writeln!(out, "The secret is not stored and not shown again.")
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
                })
            })
            .collect();
        writeln!(out, "{}", serde_json::Value::from(array))?;
        return Ok(());
    }
    let mut rows = table(&["client_id", "Name", "Scopes", "Made", "Revoked"], &[]);
    for client in clients {
        rows.add_row([
            client.client_id,
            obeya::printable(&client.name).into_owned(),
            client.scopes.join(" "),
            format!("{:.0}", client.created_at),
            client
                .revoked_at
                .map_or_else(String::new, |at| format!("{at:.0}")),
        ]);
    }
    writeln!(out, "{rows}")?;
    Ok(())
}
