//! Checks that need no test run.

use anyhow::{Result, bail};

use crate::process::{self, cargo};
use crate::report::Part;
use crate::{breaking, browser, deny, guide, regen, tidy};

/// Runs every check, also after a failure, and fails if one failed.
pub(crate) fn run(options: &deny::Options) -> Result<Part> {
    let part = all(options);
    if part.failed > 0 {
        bail!(
            "{} of {} checks failed",
            part.failed,
            part.failed + part.passed
        );
    }
    Ok(part)
}

/// A check prints its findings on stderr, or returns them as the error.
type Check<'a> = &'a dyn Fn() -> Result<()>;

/// Runs and counts every check.
pub(crate) fn all(options: &deny::Options) -> Part {
    let checks: [(&str, Check<'_>); 8] = [
        ("formatting (fix with `cargo fmt --all`)", &formatting),
        ("lints", &lints),
        ("the client in browsers", &browser::check),
        ("generated files", &regen::check),
        ("structure", &tidy::run),
        ("links of the guide", &|| guide::build().map(|_| ())),
        ("compatibility", &breaking::check),
        ("dependencies", &|| deny::run(options)),
    ];
    let mut part = Part::new("Checks", true, 0, 0);
    for (name, check) in checks {
        match check() {
            Ok(()) => part.passed += 1,
            Err(error) => {
                eprintln!("check of {name} failed: {error:#}");
                part.failed += 1;
            }
        }
    }
    part
}

fn formatting() -> Result<()> {
    process::run(cargo().args(["fmt", "--all", "--check"]))
}

fn lints() -> Result<()> {
    process::run(cargo().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))
}
