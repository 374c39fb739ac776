//! Maintainers' commands, as `cargo xtask …`. No user of the service or of the packages needs them.

mod bench;
mod check;
mod dist;
mod linter;
mod packages;
mod postgres;
mod process;
mod python;
mod regen;
mod report;
mod rust;
mod schemathesis;
mod snapshots;
mod test;
mod tidy;
mod venv;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use postgres::Profile;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Maintainers' commands")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Writes everything that follows from spec/openapi.yaml, Python's Client from its AsyncClient, and lists
    /// the snapshots to review.
    Regen {
        /// Writes nothing, and fails on the first file that differs.
        #[arg(long)]
        check: bool,
    },
    /// What must hold before any test: formatting, lints, generated files, structure.
    Check,
    /// Everything: check, Rust tests, documentation tests, a validator of the specification, Python tests,
    /// packages, Schemathesis.
    Test {
        /// Lets Schemathesis make ten times as many requests, replicas and migrations be killed for minutes,
        /// and builds the packages.
        #[arg(long)]
        long: bool,
    },
    /// The part of `test` that makes requests from the specification, alone.
    Schemathesis {
        /// Ten times as many requests, for some minutes.
        #[arg(long)]
        long: bool,
    },
    /// The part of `test` that builds and tests the Python package, alone.
    Python {
        /// Makes tables of a million values, where a test makes a large one.
        #[arg(long)]
        long: bool,
    },
    /// The part of `test` that packs the crates and the Python package and looks into the archives, alone.
    Packages {
        /// Builds what is in the archives too, for a quarter of an hour.
        #[arg(long)]
        long: bool,
    },
    /// Builds what is released of the command line: the stripped binary with its licences, its debug file, and
    /// checksums.
    Dist {
        /// The folder to write to; target/dist otherwise.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Writes the reference of the Python package into target/python-docs.
    Docs,
    /// Runs a command with a PostgreSQL: a temporary one, or the one that OBEYA_TEST_POSTGRES names. The
    /// command finds it by that variable.
    Postgres {
        /// What is committed is on the disk, as in production; otherwise nothing waits for the disk.
        #[arg(long)]
        durable: bool,
        /// The command and its arguments.
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
    /// Started by the other commands, to stop their server when they end.
    #[command(hide = true)]
    Watchdog(postgres::watchdog::Options),
    /// What the compiler cannot see: import arrows, file sizes, orphan snapshots.
    Tidy,
    /// Measures the query language, the service and the packages against their yardsticks, in a release
    /// build.
    Bench {
        /// Only this.
        part: Option<bench::Part>,
    },
}

fn main() -> anyhow::Result<()> {
    python::run_if_cargo()?;
    match Arguments::parse().command {
        Command::Regen { check: false } => regen::write(),
        Command::Regen { check: true } => regen::check(),
        Command::Check => check::run().map(|_| ()),
        Command::Test { long } => test::run(long),
        Command::Schemathesis { long } => schemathesis::run(long),
        Command::Python { long } => python::run(long),
        Command::Packages { long } => packages::run(long),
        Command::Dist { out } => dist::run(out),
        Command::Docs => python::docs(),
        Command::Postgres { durable, command } => {
            let profile = if durable {
                Profile::Durable
            } else {
                Profile::Test
            };
            postgres::run(profile, &command)
        }
        Command::Watchdog(options) => postgres::watchdog::run(&options),
        Command::Tidy => tidy::run(),
        Command::Bench { part } => bench::run(part),
    }
}
