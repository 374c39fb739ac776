//! `obeya demo`: creates a made-up plant, serves it, and shows the main tasks through the SDK over HTTP.
//!
//! The plant comes from `obeya-demo` in the import format and is imported; the service is the one `obeya
//! serve` runs; the story uses only the SDK. So the demo shows only what users can do too.

mod copy;
mod examples;
mod reads;
mod story;
mod traffic;
mod writes;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use obeya_demo::Written;
use obeya_server::import::{ImportOptions, import_dir};
use obeya_server::{Config, Running, Server, without_password};

use crate::database::{DatabaseUrlParser, sqlite_file};
use crate::stop::StopSignal;
use crate::table::{format_duration, group_digits};
use crate::terminal::EscapingWriter;

/// The scopes of the demo's client: only those the story needs.
const SCOPES: [&str; 5] = [
    "Incidents.ReadWrite",
    "Improvements.ReadWrite",
    "Boards.Read",
    "Data.Read",
    "UserManagement.Read",
];

/// Creates a made-up plant, serves it, and shows the main tasks through the SDK.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Stores the plant in this database, which must be new: sqlite:FILE or
    /// postgres://USER:PASSWORD@HOST/NAME
    #[arg(long = "db", value_name = "URL", value_parser = DatabaseUrlParser)]
    db: Option<String>,

    /// Keeps serving after the demo, and prints examples to try
    #[arg(long)]
    keep: bool,

    /// The address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
}

/// Runs the demo.
pub(crate) async fn run(args: Args) -> Result<()> {
    let mut out = EscapingWriter::new(io::stdout());
    let started = Instant::now();
    let scratch = tempfile::tempdir().context("a temporary folder cannot be created")?;
    let db = match &args.db {
        Some(db) => new_database(db)?,
        None => format!("sqlite:{}", scratch.path().join("plant.db").display()),
    };
    let built = build(&mut out, scratch.path(), &db).await?;
    let running = serve(&mut out, db.clone(), args.listen).await?;
    let client = running
        .add_client("demo", &SCOPES)
        .await
        .context("the demo's client was not created")?;
    story::run(&mut out, &running, &client, &built, scratch.path()).await?;
    writeln!(
        out,
        "\nAll of it in {}.",
        format_duration(started.elapsed())
    )?;
    if args.keep {
        let mut stop = StopSignal::catch().context("signals cannot be caught")?;
        examples::print(&mut out, &running, &client)?;
        stop.received().await;
    }
    running.shutdown().await;
    if args.db.is_some() {
        writeln!(
            out,
            "The plant is stored. Look around with: obeya serve --db {}",
            without_password(&db)
        )?;
    }
    Ok(())
}

fn new_database(url: &str) -> Result<String> {
    match sqlite_file(url) {
        Some(path) if path.exists() => {
            bail!(
                "the demo creates a new database, but {} already exists (obeya serve --db {url} serves it)",
                path.display()
            )
        }
        _ => Ok(url.to_owned()),
    }
}

/// Writes the plant as a folder and imports it.
async fn build(out: &mut impl Write, scratch: &Path, db: &str) -> Result<Written> {
    let path = scratch.join("import");
    std::fs::create_dir(&path).context("the import folder cannot be created")?;
    writeln!(
        out,
        "Fjordvik Gear: a plant made of one seed, two years until today\n"
    )?;
    let started = Instant::now();
    let built = obeya_demo::write(&path, obeya_demo::today())
        .context("the import folder cannot be written")?;
    writeln!(
        out,
        "Written as a folder of JSON Lines and CSV in {}, then imported:",
        format_duration(started.elapsed())
    )?;
    let report = import_dir(&path, db, ImportOptions::default(), Arc::new(()))
        .await
        .context("the plant was not imported")?;
    crate::import::summary(out, &report)?;
    Ok(built)
}

async fn serve(out: &mut impl Write, db: String, listen: SocketAddr) -> Result<Running> {
    let mut config = Config::new(db);
    config.listen = listen;
    let started = Instant::now();
    let running = Server::start(config)
        .await
        .context("the service did not start")?;
    writeln!(
        out,
        "\nThe service listens on {} after {}.",
        running.base_url(),
        format_duration(started.elapsed())
    )?;
    Ok(running)
}

/// A heading of the story.
fn heading(out: &mut impl Write, number: u32, text: &str) -> io::Result<()> {
    writeln!(out, "\n{number}. {text}")
}

/// The lines above a table: the request, the number of results and the duration.
fn call_summary(
    out: &mut impl Write,
    call: &str,
    came: usize,
    of: Option<i64>,
    elapsed: std::time::Duration,
) -> io::Result<()> {
    let of = of.map_or_else(String::new, |all| format!(" of {}", group_digits(all)));
    writeln!(
        out,
        "   {call}\n   {}{of} in {}",
        group_digits(came),
        format_duration(elapsed)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_is_there_is_not_touched() {
        let there = tempfile::NamedTempFile::new().unwrap();
        let url = format!("sqlite:{}", there.path().display());
        assert!(new_database(&url).is_err());
        assert_eq!(
            new_database("sqlite:surely/not/there.db").unwrap(),
            "sqlite:surely/not/there.db"
        );
    }
}
