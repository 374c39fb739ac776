//! Measuring: the work is in the bench targets of the query language, of the service and of the commands,
//! which know what they compare with.

use anyhow::Result;
use clap::ValueEnum;

use crate::postgres::{Profile, Server};
use crate::process::{self, cargo};
use crate::python;

/// What is measured alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The service with its data in a file of SQLite, and the commands over it.
    Sqlite,
    /// The service on PostgreSQL: the server that `OBEYA_TEST_POSTGRES` names, or a temporary one that waits
    /// for the disk.
    Postgres,
    /// The Python package beside what analysts would write without it.
    Python,
}

/// Runs one part or everything, in a release build; each prints its table itself.
pub(crate) fn run(part: Option<Part>) -> Result<()> {
    let wanted = |other| part.is_none_or(|part| part == other);
    if part.is_none() {
        bench("obeya-odata", "language", &[])?;
    }
    if wanted(Part::Sqlite) {
        bench("obeya-server", "service", &[])?;
        bench("obeya-cli", "pull", &[])?;
    }
    if wanted(Part::Python) {
        python::bench::run()?;
    }
    if wanted(Part::Postgres) {
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
