//! Benchmarks. The measurements and their baselines are in the bench targets of the query language, the
//! service and the command line.

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::postgres::{Profile, Server};
use crate::process::{self, cargo};
use crate::python;

/// A part that can be measured alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The service on a SQLite file, and the commands that use it.
    Sqlite,
    /// The service on PostgreSQL: the server that `OBEYA_TEST_POSTGRES` names, or a temporary one that waits
    /// for the disk.
    Postgres,
    /// The Python package, compared with other clients and libraries.
    Python,
    /// 100,000,000 values on SQLite and 20,000,000 on PostgreSQL, compared with 1,000,000: only by this name.
    /// It needs some 20 GB of disk; `OBEYA_BENCH_VALUES` is another number of values.
    Scale,
}

/// Which measurements.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// One part; without it, everything
    part: Option<Part>,

    /// Subjects of the service in that part, such as `writes`; without any, all of them
    #[arg(requires = "part")]
    subjects: Vec<String>,
}

/// Runs them in a release build. Each part prints its own table.
pub(crate) fn run(options: &Options) -> Result<()> {
    let Options { part, subjects } = options;
    if *part == Some(Part::Scale) {
        return scale(subjects);
    }
    if *part == Some(Part::Python) && !subjects.is_empty() {
        bail!(
            "this part is measured as a whole, and has no subject {}",
            subjects[0]
        );
    }
    let is_part = |subject: &&String| Part::from_str(subject, true).is_ok();
    if let Some(other) = subjects.iter().find(is_part) {
        bail!(
            "{other} is a part and no subject: measure one part at a time, or all without a name"
        );
    }
    let subjects: Vec<&str> = subjects.iter().map(String::as_str).collect();
    let wanted = |other| part.is_none_or(|part| part == other);
    if part.is_none() {
        bench("obeya-odata", "language", &[])?;
    }
    if wanted(Part::Sqlite) {
        bench(
            "obeya-server",
            "service",
            &[&["--"], &subjects[..]].concat(),
        )?;
        if subjects.is_empty() {
            bench("obeya-cli", "pull", &[])?;
        }
    }
    if wanted(Part::Python) {
        python::bench::run()?;
    }
    if wanted(Part::Postgres) {
        // Built first, so that nothing else runs during the measurement.
        bench("obeya-server", "service", &["--no-run"])?;
        let server = Server::get(Profile::Durable)?;
        let arguments = [&["--", "postgres"], &subjects[..]].concat();
        let mut command = command("obeya-server", "service", &arguments);
        process::run(command.envs(server.environment()))?;
    }
    Ok(())
}

/// On both engines, or on those that are named.
fn scale(engines: &[String]) -> Result<()> {
    const ENGINES: [&str; 2] = ["sqlite", "postgres"];
    if let Some(other) = engines.iter().find(|it| !ENGINES.contains(&it.as_str())) {
        bail!("found {other}; scale is measured on sqlite, on postgres, or on both without a name");
    }
    let wanted = |engine: &str| engines.is_empty() || engines.iter().any(|it| it == engine);
    if wanted("sqlite") {
        bench("obeya-server", "service", &["--", "scale"])?;
    }
    if wanted("postgres") {
        // Built first, so that nothing else runs during the measurement.
        bench("obeya-server", "service", &["--no-run"])?;
        let server = Server::get(Profile::Durable)?;
        let mut command = command("obeya-server", "service", &["--", "scale", "postgres"]);
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
