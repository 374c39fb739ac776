//! Every test of the project, in one command. CI runs this command and nothing else.

use anyhow::{Result, bail};

use crate::python::Units;
use crate::report::{Part, summary};
use crate::schemathesis::Binary;
use crate::{
    breaking, check, clients, deny, linter, mutants, packages, python, rust, schemathesis,
};

/// Runs every part, also after a failure; the last line counts them all. `long` runs tests that search, or
/// kill and start processes, for longer.
pub(crate) fn run(long: bool) -> Result<()> {
    let checks = Part::of("Checks", || Ok(check::all(&deny::Options::from_env())));
    let rust = Part::of("Rust", || rust::tests(long));
    // The crates that the Rust tests have compiled are reused: alone, a package would be compiled with other
    // features.
    let (units, binary) = if rust.passed > 0 {
        (Units::after_the_tests(), Binary::Built)
    } else {
        (Units::Own, Binary::ToBuild)
    };
    let mut parts = vec![
        checks,
        rust,
        Part::of("Documentation", rust::documentation),
        Part::of("Specification", || linter::tests(long)),
        Part::of("Python", || python::tests(long, units)),
        Part::of("Packages", || packages::tests(long)),
        Part::of("Schemathesis", || schemathesis::tests(long, binary)),
    ];
    if long {
        parts.push(Part::of("Surfaces", breaking::surfaces));
        parts.push(Part::of("Clients", || clients::tests(&[])));
        parts.push(Part::of("Mutants", mutants::tests));
    }
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
