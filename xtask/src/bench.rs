//! Measuring: the work is in the bench targets of the query language, of the service and of the commands, which know what they compare with.

use anyhow::Result;
use clap::ValueEnum;

use crate::postgres::{Profile, Server};
use crate::process::{self, cargo};

/// Where the service keeps its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// In a file of SQLite.
    Sqlite,
    /// On PostgreSQL: the server that `OBEYA_TEST_POSTGRES` names, or a throwaway one that waits for the disk.
    Postgres,
}

/// Runs the service's on one engine, or everything, in a release build; each prints its table itself.
pub(crate) fn run(engine: Option<Engine>) -> Result<()> {
    if engine.is_none() {
        bench("obeya-odata", "language", &[])?;
    }
    if engine != Some(Engine::Postgres) {
        bench("obeya-server", "service", &[])?;
        bench("obeya-cli", "pull", &[])?;
    }
    if engine != Some(Engine::Sqlite) {
        // Built before: nothing else runs while something is measured.
        bench("obeya-server", "service", &["--no-run"])?;
        let server = Server::get(Profile::Durable)?;
        let mut command = command("obeya-server", "service", &["--", "postgres"]);
        process::run(command.envs(server.environment()))?;
    }
    Ok(())
}

fn bench(package: &str, name: &str, more: &[&str]) -> Result<()> {
    process::run(&mut command(package, name, more))
}

fn command(package: &str, name: &str, more: &[&str]) -> std::process::Command {
    let mut command = cargo();
    command.args(["bench", "--package", package, "--bench", name]);
    command.args(more);
    command
}
