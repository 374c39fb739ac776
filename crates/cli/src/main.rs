//! The command line of Obeya: serve, import, export, migrate, manage clients, and a demo that shows all of
//! it.
//!
//! Each command is a thin layer over the service's library or the SDK; no rule of the domain lives here.
//! Results go to stdout, logs, progress and errors to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage.

mod bar;
mod client;
mod connect;
mod database;
mod demo;
mod durable;
mod export;
mod import;
mod migrate;
mod pull;
mod serve;
mod stop;
mod sync;
mod table;
mod terminal;

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Obeya: the lean big room as a service, with its tools.
#[derive(Parser)]
#[command(name = "obeya", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the service on a database
    Serve(serve::Args),
    /// Makes, lists and revokes the clients that may ask for tokens
    #[command(subcommand)]
    Client(client::Command),
    /// Imports a folder of JSON Lines (and CSV) into a database, all or nothing
    Import(import::Args),
    /// Exports the records of a database into a folder that can be imported
    Export(export::Args),
    /// Copies everything in a database into a new one, on another engine or the same, all or nothing
    Migrate(migrate::Args),
    /// Pulls records of a service into a file: CSV, JSON Lines, Parquet or Arrow
    Pull(pull::Args),
    /// Keeps a copy of what a client may read: a folder of Parquet files, SQLite or PostgreSQL
    Sync(sync::Args),
    /// Builds a plant, serves it, and does the main job through the SDK
    Demo(demo::Args),
}

impl Command {
    /// Whether all it leaves behind is what it prints, so that a reader who goes away has seen enough, as in
    /// `obeya demo | head`. For the others an unread line is a loss: the one secret of a new client, the
    /// address of a service that then does not run.
    fn only_prints(&self) -> bool {
        match self {
            Command::Demo(_) | Command::Client(client::Command::List { .. }) => true,
            Command::Pull(args) => args.only_prints(),
            Command::Client(client::Command::Add { .. } | client::Command::Revoke { .. })
            | Command::Serve(_)
            | Command::Import(_)
            | Command::Export(_)
            | Command::Migrate(_)
            | Command::Sync(_) => false,
        }
    }

    async fn run(self) -> anyhow::Result<()> {
        match self {
            Command::Serve(args) => serve::run(args).await,
            Command::Client(command) => client::run(command).await,
            Command::Import(args) => import::run(args).await,
            Command::Export(args) => export::run(args).await,
            Command::Migrate(args) => migrate::run(args).await,
            Command::Pull(args) => pull::run(args).await,
            Command::Sync(args) => sync::run(args).await,
            Command::Demo(args) => demo::run(args).await,
        }
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let only_prints = cli.command.only_prints();
    let done = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => {
            let done = runtime.block_on(cli.command.run());
            // What still runs then was told to end and did not; nobody waits for it.
            runtime.shutdown_background();
            done
        }
        Err(error) => Err(error.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if only_prints && reader_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // It may quote a service, or a file.
            eprintln!("error: {}", obeya::printable(&error.to_string()));
            for cause in error.chain().skip(1) {
                eprintln!("  because: {}", obeya::printable(&cause.to_string()));
            }
            ExitCode::FAILURE
        }
    }
}

fn reader_gone(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe)
    })
}
