//! The command line of Obeya: init, serve, status, import, export, migrate, backup, restore, check, pull,
//! sync, manage clients and keys, read the audit log, erase a person, and a demo of all of it.
//!
//! Each command is a thin layer over the service's library or the SDK; there are no domain rules here.
//! Results go to stdout; logs, progress and errors go to stderr. Exit codes: 0 success, 1 failure, 2 wrong
//! usage.

mod audit;
mod backup;
mod check;
mod client;
mod completions;
mod config;
mod connect;
mod database;
mod demo;
mod durable;
mod erase_user;
mod export;
mod import;
mod import_table;
mod init;
mod keys;
mod limits;
mod log;
mod manual;
mod migrate;
mod optional;
mod progress;
mod pull;
mod restore;
mod serve;
mod settings;
mod status;
mod stop;
mod sync;
mod table;
mod terminal;

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use settings::{Parsed, Refused};

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
    /// Makes a folder that runs: a database, a first client and obeya.toml
    Init(init::Args),
    /// Shows how a service is: health, readiness, writes, disk and connections
    Status(status::Args),
    /// Shows the settings of the service, and where each came from
    #[command(subcommand)]
    Config(config::Command),
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
    /// Prints the script that completes commands and flags in a shell
    Completions(completions::Args),
    /// Writes the pages of the manual into a folder, one for each command
    #[command(hide = true)]
    Manual(manual::Args),
}

impl Command {
    /// Whether its output is its only effect, so that a broken pipe is no error, as in `obeya demo | head`.
    /// For the others an unread line is a loss: the secret of a new client, or the address of the service.
    fn only_prints(&self) -> bool {
        match self {
            Command::Demo(_)
            | Command::Config(_)
            | Command::Completions(_)
            | Command::Client(client::Command::List { .. })
            | Command::Keys(keys::Command::List { .. }) => true,
            Command::Audit(args) => args.only_prints(),
            Command::Pull(args) => args.only_prints(),
            Command::Client(_)
            | Command::Keys(_)
            | Command::EraseUser(_)
            | Command::Serve(_)
            | Command::Init(_)
            | Command::Status(_)
            | Command::Import(_)
            | Command::ImportTable(_)
            | Command::Export(_)
            | Command::Migrate(_)
            | Command::Backup(_)
            | Command::Manual(_)
            | Command::Restore(_)
            | Command::Check(_)
            | Command::Sync(_) => false,
        }
    }

    async fn run(self, parsed: &Parsed) -> anyhow::Result<()> {
        match self {
            Command::Serve(args) => serve::run(*args, parsed).await,
            Command::Init(args) => init::run(args).await,
            Command::Status(args) => status::run(args).await,
            Command::Config(command) => config::run(&command, parsed),
            Command::Completions(args) => completions::run(&args, Cli::command()),
            Command::Manual(args) => manual::run(&args, Cli::command()),
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
    let (parsed, cli) = match command_line() {
        Ok(found) => found,
        Err(refused) => return refused.report(),
    };
    let only_prints = cli.command.only_prints();
    let done = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => {
            let done = runtime.block_on(cli.command.run(&parsed));
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
            let mut last = error.to_string();
            eprintln!("error: {}", obeya::printable(&last));
            for cause in error.chain().skip(1) {
                let cause = cause.to_string();
                // Some libraries repeat the text of a cause in that of the error.
                if !last.contains(&cause) {
                    eprintln!("  because: {}", obeya::printable(&cause));
                    last = cause;
                }
            }
            ExitCode::FAILURE
        }
    }
}

/// The arguments of the process, completed by the file with settings.
fn command_line() -> Result<(Parsed, Cli), Refused> {
    let command = Cli::command();
    let parsed = settings::parse(&command, std::env::args_os().collect())?;
    let cli = Cli::from_arg_matches(&parsed.matches)
        .map_err(|error| Refused::Arguments(error.with_cmd(&command), Vec::new()))?;
    Ok((parsed, cli))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe)
    })
}
