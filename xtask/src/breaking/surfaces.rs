//! The surfaces that programs compile against or import, compared by the tools of their languages.

use anyhow::{Result, bail};

use crate::process::{cargo, command, exists, tee};
use crate::venv;

/// The crates that a program in Rust uses: the SDK and those whose types it shows.
const CRATES: [&str; 4] = ["obeya", "obeya-api", "obeya-model", "obeya-odata"];

const SEMVER_CHECKS: &str = "cargo-semver-checks";
/// Each version reads the output of some versions of rustdoc.
const SEMVER_CHECKS_VERSION: &str = "0.51.0";
/// The folder of the package, with which griffe's findings start.
const PACKAGES: &str = "bindings/python/python";
const GRIFFE: &str = "griffe==2.4.1";

/// Whether programs in Rust still compile. Prints what breaks.
pub(super) fn rust(commit: &str) -> Result<bool> {
    if !exists(SEMVER_CHECKS, "--version") {
        bail!(
            "found no {SEMVER_CHECKS}; install it with `cargo install {SEMVER_CHECKS} --locked --version {SEMVER_CHECKS_VERSION}`"
        );
    }
    let mut check = cargo();
    check.args(["semver-checks", "--baseline-rev", commit]);
    // Whatever the version is: the findings are wanted, and the version is checked with all others.
    check.args(["--release-type", "minor"]);
    for name in CRATES {
        check.args(["--package", name]);
    }
    compatible(tee(&mut check)?, "Summary")
}

/// Whether programs in Python still find what they import and call. Prints what breaks.
pub(super) fn python(commit: &str) -> Result<bool> {
    venv::install(&[GRIFFE])?;
    let mut check = command(venv::interpreter()?);
    check.args(["-m", "griffe", "check", "obeya"]);
    check.args(["--search", PACKAGES, "--against", commit]);
    compatible(tee(&mut check)?, PACKAGES)
}

/// The verdict of a tool, whose status is the same for a finding and for a failure of its own: with findings,
/// a line of its output starts in a known way.
fn compatible((success, output): (bool, String), finding: &str) -> Result<bool> {
    if success {
        return Ok(true);
    }
    let mut lines = output.lines().map(str::trim_start);
    if lines.any(|line| line.starts_with(finding)) {
        return Ok(false);
    }
    bail!("the tool failed, see above")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_fails_without_a_finding_is_an_error() {
        let verdict = |success, output: &str| compatible((success, output.to_owned()), "Summary");
        let found =
            "--- failure struct_missing ---\n     Summary semver requires new major version\n";
        assert!(verdict(true, "     Summary no semver update required\n").expect("compared"));
        assert!(!verdict(false, found).expect("compared"));
        assert!(verdict(false, "error: no Summary without rustdoc\n").is_err());
    }
}
