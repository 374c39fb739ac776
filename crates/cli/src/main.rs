//! The command line of Obeya: serve, import, export, migrate, backup, restore, check, pull, sync, manage
//! clients and keys, read the audit log, erase a person, and a demo of all of it.
//!
//! Each command is a thin layer over the service's library or the SDK; there are no domain rules here.
//! Results go to stdout; logs, progress and errors go to stderr. Exit codes: 0 success, 1 failure, 2 wrong
//! usage.

mod audit;
mod backup;
mod check;
mod client;
mod connect;
mod database;
mod demo;
mod durable;
mod erase_user;
mod export;
mod import;
mod import_table;
mod keys;
mod limits;
mod migrate;
mod optional;
mod progress;
mod pull;
mod restore;
mod serve;
mod stop;
mod sync;
mod table;
mod terminal;

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Obeya: a lean-management service and its tools.
#[derive(Parser)]
#[command(name = "obeya", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the service on a database
    Serve(Box<serve::Args>),
    /// Creates, lists, changes and revokes the API clients that may request tokens
    #[command(subcommand)]
    Client(client::Command),
    /// Lists, rotates and retires the keys that sign access tokens
    #[command(subcommand)]
    Keys(keys::Command),
    /// Shows, exports or verifies the audit log of a database: who changed what
    Audit(audit::Args),
    /// Removes a person from a database: the user, and its id and names from every record
    EraseUser(erase_user::Args),
    /// Imports a folder of JSON Lines and CSV files into a database, all or nothing
    Import(import::Args),
    /// Imports the rows of a CSV file or an Excel workbook, into a database or through a service
    ImportTable(Box<import_table::Args>),
    /// Exports the records of a database to a folder that can be imported
    Export(export::Args),
    /// Copies a whole database to an empty one, on the same engine or another, all or nothing
    Migrate(migrate::Args),
    /// Writes a whole database to one file, also while a service runs on it
    Backup(backup::Args),
    /// Puts a backup to an empty place
    Restore(restore::Args),
    /// Checks a database for damage and for data that contradicts itself
    Check(check::Args),
    /// Downloads records from a service to a file: CSV, JSON Lines, Parquet or Arrow
    Pull(pull::Args),
    /// Creates or updates a local copy of all records a client may read: Parquet files, SQLite or PostgreSQL
    Sync(sync::Args),
    /// Creates a made-up plant, serves it, and shows the main tasks through the SDK
    Demo(demo::Args),
}

impl Command {
    /// Whether its output is its only effect, so that a broken pipe is no error, as in `obeya demo | head`.
    /// For the others an unread line is a loss: the secret of a new client, or the address of the service.
    fn only_prints(&self) -> bool {
        match self {
            Command::Demo(_)
            | Command::Client(client::Command::List { .. })
            | Command::Keys(keys::Command::List { .. }) => true,
            Command::Audit(args) => args.only_prints(),
            Command::Pull(args) => args.only_prints(),
            Command::Client(_)
            | Command::Keys(_)
            | Command::EraseUser(_)
            | Command::Serve(_)
            | Command::Import(_)
            | Command::ImportTable(_)
            | Command::Export(_)
            | Command::Migrate(_)
            | Command::Backup(_)
            | Command::Restore(_)
            | Command::Check(_)
            | Command::Sync(_) => false,
        }
    }

    async fn run(self) -> anyhow::Result<()> {
        match self {
            Command::Serve(args) => serve::run(*args).await,
            Command::Client(command) => client::run(command).await,
            Command::Keys(command) => keys::run(command).await,
            Command::Audit(args) => audit::run(args).await,
            Command::EraseUser(args) => erase_user::run(args).await,
            Command::Import(args) => import::run(args).await,
            Command::ImportTable(args) => import_table::run(*args).await,
            Command::Export(args) => export::run(args).await,
            Command::Migrate(args) => migrate::run(args).await,
            Command::Backup(args) => backup::run(args).await,
            Command::Restore(args) => restore::run(args).await,
            Command::Check(args) => check::run(args).await,
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
            // Tasks that are still running were asked to stop; do not wait for them.
            runtime.shutdown_background();
            done
        }
        Err(error) => Err(error.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if only_prints && is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // An error may quote text from a service or a file.
            eprintln!("error: {}", obeya::printable(&error.to_string()));
            for cause in error.chain().skip(1) {
                eprintln!("  because: {}", obeya::printable(&cause.to_string()));
            }
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe)
    })
}
