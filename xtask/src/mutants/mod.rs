//! `cargo xtask mutants [BASE]`: changes the code that was changed since a revision, one place at a time,
//! and runs its tests. A change that no test notices is a survivor, and fails unless `xtask/mutants.toml`
//! says why it may live. It changes copies only.

mod changes;
mod cosmic_ray;
mod python;
mod rust;
mod survivors;

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use self::changes::Changes;
use self::survivors::Reasons;
use crate::process::{self, root};
use crate::report::Part;
use crate::revision;

/// Which code, and how long.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// A Git revision; by default the last release, or before the first one the first parent of HEAD
    base: Option<String>,

    /// Stops after so many minutes and names how many mutants were not tested
    #[arg(long, default_value_t = MINUTES)]
    minutes: u64,
}

/// An hour is some 60 mutants of a small crate.
const MINUTES: u64 = 60;

/// What a run found.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    killed: usize,
    /// As `xtask/mutants.toml` names them.
    survivors: Vec<String>,
    /// Not tested before the time was over.
    untested: usize,
}

/// Runs it alone.
pub(crate) fn run(options: &Options) -> Result<()> {
    let base = match &options.base {
        Some(name) => revision::commit(name)?,
        None => default_base()?,
    };
    let part = since(&base, options.minutes)?;
    println!(
        "{} killed, {} survived ({})",
        part.passed, part.failed, part.note
    );
    if part.failed > 0 {
        bail!("{} mutants survived", part.failed);
    }
    Ok(())
}

/// The part of `test --long`: what was changed since the default revision.
pub(crate) fn tests() -> Result<Part> {
    since(&default_base()?, MINUTES)
}

/// The merge base with the tag of the last release; where there is no release yet, the first parent of HEAD,
/// which for a merge is the branch before it.
fn default_base() -> Result<String> {
    match revision::last_tag()? {
        Ok(tag) => revision::merge_base(&tag),
        Err(_) => revision::commit("HEAD^1"),
    }
}

fn since(base: &str, minutes: u64) -> Result<Part> {
    let reasons = Reasons::read()?;
    let changes = Changes::since(base)?;
    let end = Instant::now() + Duration::from_secs(60 * minutes);
    // Python first: its mutants take seconds, where those of Rust compile.
    let outcomes = [
        python::run(&changes, base, end)?,
        rust::run(&changes, base, end)?,
    ];
    let mut part = Part::new("Mutants", true, 0, 0);
    let mut excused = 0;
    for outcome in &outcomes {
        part.passed += outcome.killed;
        for survivor in &outcome.survivors {
            if reasons.has(survivor) {
                excused += 1;
            } else {
                eprintln!("survived: {survivor}");
                part.failed += 1;
            }
        }
    }
    let untested: usize = outcomes.iter().map(|outcome| outcome.untested).sum();
    part.note = format!("{excused} may live, {untested} not tested in {minutes} min");
    if part.passed + part.failed == 0 {
        if untested > 0 {
            bail!("none of {untested} mutants was tested in {minutes} min");
        }
        // A part without a test would count as one that could not run.
        part.passed = 1;
        part.note = format!("no mutant in what was changed since {base}");
    }
    Ok(part)
}

/// Runs a command until it ends or the time is over; its success, or `None` if it was stopped. All that it
/// started is stopped with it.
fn run_until(command: &mut Command, end: Instant) -> Result<Option<bool>> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    eprintln!("$ {command:?}");
    let mut child = command.spawn().context("cannot start it")?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if Instant::now() >= end {
            stop(&mut child)?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Asks the process and its children to end: a tool then writes what it has found.
fn stop(child: &mut std::process::Child) -> Result<()> {
    if cfg!(unix) {
        let group = format!("-{}", child.id());
        process::run(process::command("kill").args(["-s", "TERM", "--", &group]))?;
    } else {
        child.kill()?;
    }
    child.wait()?;
    Ok(())
}

/// The folder of copies and results.
fn folder() -> std::path::PathBuf {
    root().join("target/mutants")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_command_is_stopped_with_what_it_started_when_the_time_is_over() {
        let mut sleeping = process::command("sh");
        sleeping.args(["-c", "sleep 600 & wait"]);
        assert_eq!(run_until(&mut sleeping, Instant::now()).expect("run"), None);
        let hour = Instant::now() + Duration::from_secs(3600);
        let ends = |status: &str| {
            let mut command = process::command("sh");
            run_until(command.args(["-c", status]), hour).expect("run")
        };
        assert_eq!((ends("exit 0"), ends("exit 3")), (Some(true), Some(false)));
    }
}
