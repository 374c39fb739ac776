//! Everything that is tested, in one command. What is run elsewhere (CI) is this and nothing else.

use anyhow::{Result, bail};

use crate::report::{Part, summary};
use crate::{check, linter, packages, python, rust, schemathesis};

/// Runs every part, whatever the earlier ones said; the last line counts them all. `long` lets those that search, or kill and start, do so for longer.
pub(crate) fn run(long: bool) -> Result<()> {
    let parts = [
        check::all(),
        Part::of("Rust", rust::tests(long)),
        Part::of("Documentation", rust::documentation()),
        Part::of("Specification", linter::tests()),
        Part::of("Python", python::tests(long)),
        Part::of("Packages", packages::tests(long)),
        Part::of("Schemathesis", schemathesis::tests(long)),
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
