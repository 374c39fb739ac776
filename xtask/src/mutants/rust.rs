//! Mutants of Rust, by cargo-mutants: first with the tests of the crate that is changed, then those that
//! survived with all tests.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use super::changes::Changes;
use super::{Outcome, folder, run_until};
use crate::postgres::{Profile, Server};
use crate::process::{command, exists};
use crate::{revision, tools};

/// The version of cargo-mutants that is installed.
const VERSION: &str = "27.1.0";

/// The file of the results, which cargo-mutants writes while it runs.
const OUTCOMES: &str = "outcomes.json";

/// Its content.
#[derive(Debug, Deserialize)]
struct Outcomes {
    outcomes: Vec<Tested>,
}

#[derive(Debug, Deserialize)]
struct Tested {
    scenario: Scenario,
    summary: Summary,
}

#[derive(Debug, Deserialize)]
enum Scenario {
    /// The tests of the code as it is.
    Baseline,
    Mutant(Mutant),
}

#[derive(Debug, Deserialize)]
struct Mutant {
    /// `FILE:LINE:COLUMN: replace … with … in …`.
    name: String,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
enum Summary {
    Success,
    Failure,
    CaughtMutant,
    MissedMutant,
    /// The tests take much longer than without the change, as in a loop without an end: noticed too.
    Timeout,
    /// It does not compile.
    Unviable,
}

/// Tests the mutants in the changed lines.
pub(super) fn run(changes: &Changes, base: &str, end: Instant) -> Result<Outcome> {
    if changes.rust.is_empty() {
        return Ok(Outcome::default());
    }
    let tool = tools::installed("cargo-mutants", VERSION)?;
    let folder = folder().join("rust");
    fs::create_dir_all(&folder)?;
    // What an earlier run killed would be left out with `--iterate`.
    let results = folder.join("mutants.out");
    if results.exists() {
        fs::remove_dir_all(&results)?;
    }
    let diff = folder.join("changes.diff");
    fs::write(&diff, revision::diff(base, &changes.rust)?)?;
    let all = count(&mut mutants(&tool, &diff, &folder))?;
    if all == 0 || Instant::now() >= end {
        return Ok(Outcome {
            untested: all,
            ..Outcome::default()
        });
    }
    let server = Server::get(Profile::Test)?;
    let run = |more: &[&str], all: usize| {
        let mut mutants = mutants(&tool, &diff, &folder);
        mutants.args(more).envs(server.environment());
        let succeeded = run_until(&mut mutants, end)?;
        // It fails for a survivor too, but then there is a result.
        if succeeded == Some(false) && !results.join(OUTCOMES).exists() {
            bail!("cargo-mutants failed before the first mutant");
        }
        read(&results, all)
    };
    let first = run(&[], all)?;
    if first.survivors.is_empty() || Instant::now() >= end {
        return Ok(first);
    }
    // Much of a crate is tested by the crates above it.
    let left = first.survivors.len() + first.untested;
    let second = run(&["--iterate", "--test-workspace=true"], left)?;
    Ok(Outcome {
        killed: first.killed + second.killed,
        ..second
    })
}

fn mutants(tool: &Path, diff: &Path, folder: &Path) -> Command {
    let mut mutants = command(tool);
    mutants.args([
        "mutants",
        // Otherwise those of the default member alone.
        "--workspace",
        "--no-config",
        "--all-features",
        "--cap-lints=true",
    ]);
    // In a random order: each run that is too short tests others. With the history, which tests of xtask
    // read.
    mutants.args(["--shuffle", "--copy-vcs=true", "--colors=never"]);
    if exists("cargo-nextest", "--version") {
        mutants.arg("--test-tool=nextest");
    }
    mutants.arg("--in-diff").arg(diff);
    mutants.arg("--output").arg(folder);
    mutants.env("INSTA_UPDATE", "no");
    mutants
}

/// How many mutants there are.
fn count(mutants: &mut Command) -> Result<usize> {
    let output = mutants.args(["--list", "--json"]).output()?;
    if !output.status.success() {
        bail!(
            "`cargo mutants --list` failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    if output.stdout.trim_ascii().is_empty() {
        // No changed line is code.
        return Ok(0);
    }
    let all: Vec<serde_json::Value> =
        serde_json::from_slice(&output.stdout).context("the list of cargo-mutants")?;
    Ok(all.len())
}

/// The results in this folder, of so many mutants.
fn read(results: &Path, all: usize) -> Result<Outcome> {
    let outcomes = results.join(OUTCOMES);
    if !outcomes.exists() {
        // Stopped before the first.
        return Ok(Outcome {
            untested: all,
            ..Outcome::default()
        });
    }
    let outcomes = fs::read_to_string(outcomes)?;
    outcome(&outcomes, all).context("outcomes.json of cargo-mutants")
}

fn outcome(outcomes: &str, all: usize) -> Result<Outcome> {
    let outcomes: Outcomes = serde_json::from_str(outcomes)?;
    let mut found = Outcome::default();
    let mut unviable = 0;
    for Tested { scenario, summary } in outcomes.outcomes {
        match (scenario, summary) {
            (Scenario::Baseline, Summary::Success) => {}
            (Scenario::Baseline, _) => {
                bail!("the tests fail without any change, see target/mutants/rust/mutants.out/log")
            }
            (_, Summary::Unviable) => unviable += 1,
            (Scenario::Mutant(mutant), Summary::MissedMutant | Summary::Success) => {
                found.survivors.push(without_place(&mutant.name));
            }
            (_, Summary::CaughtMutant | Summary::Timeout | Summary::Failure) => found.killed += 1,
        }
    }
    found.untested = all.saturating_sub(found.killed + found.survivors.len() + unviable);
    Ok(found)
}

/// The name of a mutant without line and column, which change with every edit above it.
fn without_place(name: &str) -> String {
    let Some((place, what)) = name.split_once(": ") else {
        return name.to_owned();
    };
    let file = place.split(':').next().unwrap_or(place);
    format!("{file}: {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As cargo-mutants 27 writes it, without what is not read.
    const RESULTS: &str = r#"{"outcomes": [
        {"scenario": "Baseline", "summary": "Success", "phase_results": []},
        {"scenario": {"Mutant": {"name": "crates/client/src/prefetch.rs:31:29: replace > with >= in Extent::is_last",
            "package": "obeya", "genre": "BinaryOperator"}}, "summary": "MissedMutant"},
        {"scenario": {"Mutant": {"name": "crates/client/src/prefetch.rs:37:9: replace Extent::pages -> i32 with 0"}},
            "summary": "CaughtMutant"},
        {"scenario": {"Mutant": {"name": "a.rs:1:1: b"}}, "summary": "Timeout"},
        {"scenario": {"Mutant": {"name": "a.rs:2:1: c"}}, "summary": "Unviable"}],
        "total_mutants": 4}"#;

    #[test]
    fn outcomes_are_counted_and_survivors_named_without_their_line() {
        let expected = Outcome {
            killed: 2,
            survivors: vec![
                "crates/client/src/prefetch.rs: replace > with >= in Extent::is_last".to_owned(),
            ],
            untested: 3,
        };
        assert_eq!(outcome(RESULTS, 7).expect("read"), expected);
    }

    #[test]
    fn tests_that_fail_without_a_change_are_an_error() {
        let failing = RESULTS.replacen("Success", "Failure", 1);
        let error = outcome(&failing, 4).expect_err("no result");
        assert!(
            error
                .to_string()
                .starts_with("the tests fail without any change"),
            "{error}"
        );
    }

    #[test]
    fn without_results_nothing_was_tested() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(read(folder.path(), 2).expect("read").untested, 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_list_is_counted_and_nothing_is_printed_for_none() {
        let listed = |text: &str| count(command("sh").args(["-c", "printf %s \"$0\"", text]));
        assert_eq!(listed("[{}, {}]").expect("a list"), 2);
        assert_eq!(listed("").expect("no list"), 0);
        assert!(listed("none").is_err());
    }
}
