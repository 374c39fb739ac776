//! `obeya client`: manages the API clients that may request tokens.

use std::io::{self, Write as _};

use anyhow::{Context as _, Result};
use clap::builder::PossibleValuesParser;
use obeya_server::admin;
use serde_json::json;

use crate::database::DatabaseArg;
use crate::table::table;

/// Creates, lists and revokes API clients.
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
    /// Revokes a client: it gets no new tokens, and its existing tokens are refused
    Revoke {
        /// The client_id of the client
        client_id: String,
        #[command(flatten)]
        database: DatabaseArg,
    },
}

/// Runs the subcommand.
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
                .context("the client was not created")?;
            show(&mut out, &client, json).with_context(|| {
                format!("the client {} was created, but its secret could not be printed and is lost; revoke it and create another", client.client_id)
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
                })
            })
            .collect();
        writeln!(out, "{}", serde_json::Value::from(array))?;
        return Ok(());
    }
    let mut rows = table(&["client_id", "Name", "Scopes", "Created", "Revoked"], &[]);
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
