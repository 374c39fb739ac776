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
    // Python first: its mutants take seconds, where those of Rust compile. It leaves them half of the time.
    let rest = if changes.rust.is_empty() {
        0
    } else {
        30 * minutes
    };
    let outcomes = [
        python::run(&changes, base, end - Duration::from_secs(rest))?,
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

/// Asks the process and its children to end: a tool then writes what it has found. What does not end with
/// them is killed: cosmic-ray starts tests in a session of their own, and a mutant may never end.
fn stop(child: &mut std::process::Child) -> Result<()> {
    if cfg!(unix) {
        let started = descendants(child.id())?;
        let group = format!("-{}", child.id());
        process::run(process::command("kill").args(["-s", "TERM", "--", &group]))?;
        child.wait()?;
        for survivor in running()? {
            // By its start too: most have ended, and their ids may be those of others by now.
            if started.iter().any(|it| it.is(&survivor)) {
                let mut kill = process::command("kill");
                // It may end before this.
                kill.args(["-s", "KILL", "--", &survivor.id]).output()?;
            }
        }
    } else {
        child.kill()?;
        child.wait()?;
    }
    Ok(())
}

/// A process of this machine.
struct Running {
    id: String,
    parent: String,
    start: String,
}

impl Running {
    fn is(&self, other: &Self) -> bool {
        self.id == other.id && self.start == other.start
    }
}

/// Those that run now. `lstart` is not in POSIX; procps, macOS and the BSDs have it.
fn running() -> Result<Vec<Running>> {
    let output = process::command("ps")
        .args(["-A", "-o", "pid=,ppid=,lstart="])
        .output()?;
    let table = String::from_utf8(output.stdout)?;
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let (id, parent) = (words.next()?.to_owned(), words.next()?.to_owned());
        let start = words.collect::<Vec<_>>().join(" ");
        Some(Running { id, parent, start })
    };
    Ok(table.lines().filter_map(line).collect())
}

/// The processes that a process started, and those that they did.
fn descendants(of: u32) -> Result<Vec<Running>> {
    let mut others = running()?;
    let mut parents = vec![of.to_string()];
    let mut found = Vec::new();
    while let Some(parent) = parents.pop() {
        let (children, rest) = others.into_iter().partition(|it| it.parent == parent);
        others = rest;
        let children: Vec<Running> = children;
        parents.extend(children.iter().map(|child| child.id.clone()));
        found.extend(children);
    }
    Ok(found)
}

/// The folder of copies and results.
fn folder() -> std::path::PathBuf {
    root().join("target/mutants")
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    use std::io::Read as _;

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

    /// In a session of its own, deaf to the signal that asks it to end. The pipe closes when it has ended.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_command_started_elsewhere_is_killed() {
        let (mut end, pipe) = std::io::pipe().expect("a pipe");
        let mut deaf = process::command("sh");
        deaf.args([
            "-c",
            "setsid sh -c 'trap \"\" TERM; echo ready; exec sleep 600' & wait",
        ]);
        std::os::unix::process::CommandExt::process_group(deaf.stdout(pipe), 0);
        let mut child = deaf.spawn().expect("a shell");
        drop(deaf);
        end.read_exact(&mut [0; 6]).expect("a line");
        stop(&mut child).expect("stopped");
        assert_eq!(end.read_to_end(&mut Vec::new()).expect("read"), 0);
    }
}
