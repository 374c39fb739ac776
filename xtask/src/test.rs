//! Everything that is tested, in one command. What is run elsewhere (CI) is this and nothing else.

use anyhow::{Result, bail};

use crate::python::Units;
use crate::report::{Part, summary};
use crate::schemathesis::Binary;
use crate::{check, linter, packages, python, rust, schemathesis};

/// Runs every part, whatever the earlier ones said; the last line counts them all. `long` lets those that
/// search, or kill and start, do so for longer.
pub(crate) fn run(long: bool) -> Result<()> {
    let checks = Part::of("Checks", || Ok(check::all()));
    let rust = Part::of("Rust", || rust::tests(long));
    // What the Rust tests have compiled is used again: Cargo would compile a package alone with other features.
    let (units, binary) = if rust.passed > 0 {
        (Units::OfTheTests, Binary::Built)
    } else {
        (Units::Own, Binary::ToBuild)
    };
    let parts = [
        checks,
        rust,
        Part::of("Documentation", rust::documentation),
        Part::of("Specification", linter::tests),
        Part::of("Python", || python::tests(long, units)),
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
