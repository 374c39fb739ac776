//! PostgreSQL's load generator, if it is installed with the server: the same statements, prepared, over as
//! many connections.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::server::Server;
use crate::load::{Load, Target};
use crate::median;
use crate::table::Table;

/// Rounds of each figure; the median counts.
const ROUNDS: usize = 5;
/// Seconds of a round: its program takes whole ones.
const SECONDS: u64 = 2;
/// Threads of it, as many as our own load generator has.
const THREADS: &str = "2";

/// The program, if there is one.
pub struct Peer {
    program: Option<PathBuf>,
    environment: Vec<(&'static str, String)>,
}

impl Peer {
    /// Looks next to the server's programs, then in the path.
    pub fn find(server: &Server) -> Self {
        let name = format!("pgbench{}", std::env::consts::EXE_SUFFIX);
        let beside = std::env::var_os("OBEYA_TEST_POSTGRES_BIN").map(|folder| {
            let folder = PathBuf::from(folder);
            folder.join(&name)
        });
        let is_there = |program: &PathBuf| {
            let version = Command::new(program).arg("--version").output();
            version.is_ok_and(|version| version.status.success())
        };
        Self {
            program: beside.into_iter().chain([name.into()]).find(is_there),
            environment: server.environment(),
        }
    }

    /// Our answers per second and the transactions per second of each script, over as many connections,
    /// alternately. `goals`: the script with which our rate is compared, and the lowest ratio.
    pub fn row(
        &self,
        table: &mut Table,
        name: &str,
        (connections, target): (usize, &Target<'_>),
        scripts: &[Script<'_>],
    ) {
        let load = Load {
            connections,
            time: std::time::Duration::from_secs(SECONDS),
        };
        let name = format!("{name}, {connections} connection(s)");
        let mut ours = Vec::new();
        let mut theirs: Vec<Vec<f64>> = scripts.iter().map(|_| Vec::new()).collect();
        for _ in 0..ROUNDS {
            ours.push(load.run(target));
            for (script, rates) in scripts.iter().zip(&mut theirs) {
                rates.extend(self.run(script, connections));
            }
        }
        let spread = |rates: &[f64]| {
            let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
            let most = rates.iter().copied().fold(0.0, f64::max);
            format!("{least:.0}–{most:.0}")
        };
        let own = spread(&ours);
        let ours = median(ours);
        for (script, rates) in scripts.iter().zip(theirs) {
            let name = format!("{name}{}", script.name);
            if rates.is_empty() {
                table.alone(&name, ours, "there is no pgbench with this server");
                continue;
            }
            let unit = format!("a second, pgbench ({own}; {})", spread(&rates));
            let theirs = median(rates);
            let goal = script
                .at_least
                .map(|at_least| (ours / theirs, at_least, true));
            table.row(&name, ours, theirs, &unit, goal);
        }
    }

    /// Transactions of a script for a second; `None` without the program.
    fn run(&self, script: &Script<'_>, connections: usize) -> Option<f64> {
        let file = tempfile::NamedTempFile::new().expect("a folder for temporary files");
        std::fs::write(file.path(), script.text).expect("the disk has room");
        let mut command = Command::new(self.program.as_ref()?);
        command
            .args(["--no-vacuum", "--protocol=prepared", "--jobs", THREADS])
            .args(["--client", &connections.to_string()])
            .args(["--time", &SECONDS.to_string()])
            .arg("--file")
            .arg(file.path())
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        let said = command.output().expect("it was started before");
        let (out, errors) = (
            String::from_utf8_lossy(&said.stdout),
            String::from_utf8_lossy(&said.stderr),
        );
        assert!(said.status.success(), "{out}\n{errors}");
        // Older versions print it twice, the second time without the time for connecting.
        let rates = out
            .lines()
            .rev()
            .filter_map(|line| line.strip_prefix("tps = "));
        let rate = rates
            .filter_map(|rate| rate.split_whitespace().next()?.parse().ok())
            .next();
        Some(rate.expect("it says its rate"))
    }
}

/// The script of the program.
pub struct Script<'s> {
    /// What it does instead of ours, after the name of the result.
    pub name: &'s str,
    /// In its own language.
    pub text: &'s str,
    /// The least ratio of our rate to its.
    pub at_least: Option<f64>,
}
