//! Everything that is tested, in one command. What is run elsewhere (CI) is this and nothing else.

use anyhow::{Result, bail};

use crate::report::{Part, summary};
use crate::schemathesis::Binary;
use crate::{check, linter, packages, python, rust, schemathesis};

/// Runs every part, whatever the earlier ones said; the last line counts them all. `long` lets those that
/// search, or kill and start, do so for longer.
pub(crate) fn run(long: bool) -> Result<()> {
    let checks = Part::of("Checks", || Ok(check::all()));
    let rust = Part::of("Rust", || rust::tests(long));
    // The tests of the CLI have built the binary; with `--package` alone it would be built with other
    // features again.
    let binary = if rust.passed > 0 {
        Binary::Built
    } else {
        Binary::ToBuild
    };
    let parts = [
        checks,
        rust,
        Part::of("Documentation", rust::documentation),
        Part::of("Specification", linter::tests),
        Part::of("Python", || python::tests(long)),
        Part::of("Packages", || packages::tests(long)),
        Part::of("Schemathesis", || schemathesis::tests(long, binary)),
    ];
    println!("\n{}", summary(&parts));
    if parts.iter().any(|part| part.failed > 0) {
        // The counts above are the message, and stay the last line.
        std::process::exit(1);
    }
    if parts.iter().any(|part| part.passed == 0) {
        bail!("a part ran no test at all");
    }
    Ok(())
}
