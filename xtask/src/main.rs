//! Maintainers' commands, as `cargo xtask …`. Users of the service and of the packages do not need them.

mod bench;
mod breaking;
mod browser;
mod check;
mod clients;
mod deny;
mod dist;
mod features;
mod guide;
mod linter;
mod mutants;
mod packages;
mod plant_service;
mod postgres;
mod process;
mod python;
mod regen;
mod report;
mod revision;
mod running;
mod rust;
mod schemathesis;
mod snapshots;
mod test;
mod tidy;
mod tools;
mod venv;

use std::ffi::OsString;

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
    /// Writes every generated file: from spec/openapi.yaml, and Python's Client from its AsyncClient. Lists
    /// the snapshots to review.
    Regen {
        /// Writes nothing, and fails on the first file that differs.
        #[arg(long)]
        check: bool,
    },
    /// Checks that need no test: formatting, lints, generated files, structure, compatibility of the
    /// specification with the last release, dependencies.
    Check(deny::Options),
    /// Names what breaks for clients since a revision: in the specification, the Rust and the Python surface.
    /// Fails unless version, changelog and spec/breaking.toml say so.
    Breaking(breaking::Options),
    /// Checks the dependencies against deny.toml, the part of `check` that may use a snapshot of the
    /// advisories.
    Deny(deny::Options),
    /// Everything: check, Rust tests, documentation tests, a validator of the specification, Python tests,
    /// packages, Schemathesis.
    Test {
        /// Ten times as many Schemathesis requests, minutes of tests that kill replicas and migrations,
        /// builds of the packages, clients of other makers, and mutants of the code since the last release.
        #[arg(long)]
        long: bool,
    },
    /// Runs Schemathesis, the part of `test` that sends requests generated from the specification.
    Schemathesis {
        /// Sends ten times as many requests, which takes minutes.
        #[arg(long)]
        long: bool,
    },
    /// Runs a session of each client that nobody here wrote: generated ones and those for OData. This part of
    /// `test --long` alone. It needs Node.js.
    Clients {
        /// The folders in `xtask/clients` whose sessions are run; all if there is none.
        only: Vec<String>,
    },
    /// Builds, installs and tests the Python package: this part of `test` alone.
    Python {
        /// Uses tables of a million values instead of 100,000.
        #[arg(long)]
        long: bool,
    },
    /// Packs the crates and the Python package and inspects the archives: this part of `test` alone.
    Packages {
        /// Also compiles each set of features alone and builds the content of the archives, which takes a
        /// quarter of an hour.
        #[arg(long)]
        long: bool,
    },
    /// Builds the release: the stripped binary with its licences as an archive, a package for Debian and an
    /// image for containers, its debug file, the Python package, and checksums.
    Dist(dist::Options),
    /// Builds the documentation as a site in target/guide/site, and follows its links.
    Docs {
        /// Writes the reference of the Python package into target/python-docs instead.
        #[arg(long)]
        python: bool,
    },
    /// Takes the pictures in `docs` again: the report, the wall and the explorer in a headless Chromium. Look
    /// at them before you commit them.
    Pictures,
    /// Changes the code that was changed since a revision, one place at a time, and fails if the tests do not
    /// notice. Since the last release it is a part of `test --long`.
    Mutants(mutants::Options),
    /// Runs a command with a PostgreSQL: a temporary one, or the one that OBEYA_TEST_POSTGRES names. The
    /// command finds it by that variable.
    Postgres {
        /// Commits wait for the disk, as in production. By default they do not.
        #[arg(long)]
        durable: bool,
        /// The command and its arguments.
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
    /// Started by the other commands, to stop their server when they end.
    #[command(hide = true)]
    Watchdog(postgres::watchdog::Options),
    /// Checks rules that the compiler does not: dependencies between crates, circles of modules, file sizes,
    /// comments, orphan snapshots.
    Tidy,
    /// Runs the benchmarks of the query language, the service and the packages, in a release build.
    Bench(bench::Options),
}

fn main() -> anyhow::Result<()> {
    python::run_if_cargo()?;
    match Arguments::parse().command {
        Command::Regen { check: false } => regen::write(),
        Command::Regen { check: true } => regen::check(),
        Command::Check(options) => check::run(&options).map(|_| ()),
        Command::Breaking(options) => breaking::run(options),
        Command::Deny(options) => deny::run(&options),
        Command::Test { long } => test::run(long),
        Command::Schemathesis { long } => schemathesis::run(long),
        Command::Clients { only } => clients::run(&only),
        Command::Python { long } => python::run(long),
        Command::Packages { long } => packages::run(long),
        Command::Dist(options) => dist::run(&options),
        Command::Docs { python: true } => python::docs(),
        Command::Docs { python: false } => {
            println!("{}", guide::build()?.join("index.html").display());
            Ok(())
        }
        Command::Pictures => python::pictures(),
        Command::Mutants(options) => mutants::run(&options),
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
        Command::Bench(options) => bench::run(&options),
    }
}
