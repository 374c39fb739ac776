//! What must hold before any test is worth running.

use anyhow::{Result, bail};

use crate::process::{self, cargo};
use crate::report::Part;
use crate::{regen, tidy};

/// Runs every check, whatever the earlier ones said, and fails if one did.
pub(crate) fn run() -> Result<Part> {
    let part = all();
    if part.failed > 0 {
        bail!(
            "{} of {} checks failed",
            part.failed,
            part.failed + part.passed
        );
    }
    Ok(part)
}

/// A check says what it found on stderr, or in its error.
type Check = fn() -> Result<()>;

/// Every check, counted.
pub(crate) fn all() -> Part {
    let checks: [(&str, Check); 4] = [
        ("formatting (mend with `cargo fmt --all`)", formatting),
        ("lints", lints),
        ("generated files", regen::check),
        ("structure", tidy::run),
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
