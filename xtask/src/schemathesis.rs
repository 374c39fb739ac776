//! Schemathesis over the whole specification, against the real binary. It generates valid and invalid
//! requests from the schemas, and checks every answer against the specification. Its settings are in
//! `spec/schemathesis.toml`.
//!
//! The service runs on the data behind the examples of the specification, so that requests made from them
//! succeed.

use anyhow::{Result, bail};

use crate::plant_service::{self, PlantService};
use crate::process::{command, root, tee};
use crate::report::Part;
use crate::rust::number_before;
use crate::venv;

/// Pinned, because another version generates other requests from the same seed.
const PACKAGE: &str = "schemathesis==4.32.5";

/// Examples for each operation with `--long`. The configuration has the usual number, which takes seconds.
const LONG: &str = "400";

/// Runs this part alone.
pub(crate) fn run(long: bool) -> Result<()> {
    let part = tests(long, Binary::ToBuild)?;
    if part.failed > 0 {
        bail!("Schemathesis found {} faults", part.failed);
    }
    Ok(())
}

/// Whether the binary has been built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    /// The Rust tests of this run have built it.
    Built,
    ToBuild,
}

/// Serves the plant and runs Schemathesis against it. Tested operations are counted, not requests: their
/// number depends on the settings.
pub(crate) fn tests(long: bool, binary: Binary) -> Result<Part> {
    venv::install(&[PACKAGE])?;
    if binary == Binary::ToBuild {
        plant_service::build(None)?;
    }
    let folder = root().join("target/schemathesis");
    let service = PlantService::start(&folder)?;
    let token = service.token()?;

    let mut schemathesis = command(venv::interpreter()?);
    schemathesis
        // It writes files to its working directory, which is emptied before the next run.
        .current_dir(&folder)
        .args(["-m", "schemathesis.cli", "--config-file"])
        .arg(root().join("spec/schemathesis.toml"))
        .arg("run")
        .arg(format!("{}/openapi.json", service.url()))
        .arg("--no-color")
        .env("OBEYA_TOKEN", token);
    if long {
        schemathesis.args(["--max-examples", LONG]);
    }
    let (success, output) = tee(&mut schemathesis)?;
    let found = Found::read(&output);
    let mut part = Part::new("Schemathesis", success, found.tested, found.failures);
    part.note = format!("{} requests", found.requests);
    Ok(part)
}

/// The numbers in the summary.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    /// Tested operations without a failure.
    tested: usize,
    requests: usize,
    /// Distinct failures.
    failures: usize,
}

impl Found {
    fn read(output: &str) -> Self {
        let cases = output.lines().find(|line| line.contains(" generated, "));
        let number = |word| {
            cases
                .and_then(|line| number_before(line, word))
                .unwrap_or(0)
        };
        let failures = number(" found ").max(number(" unique failures"));
        let tested = output
            .lines()
            .find_map(|line| line.trim().strip_prefix("Tested: "));
        let tested = tested
            .and_then(|number| number.parse::<usize>().ok())
            .unwrap_or(0);
        Self {
            tested: tested.saturating_sub(failures),
            requests: number(" generated"),
            failures,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_read() {
        let operations = "API Operations:\n  Selected: 49/49\n  Tested: 49\n";
        let failing = "Test cases:\n  2421 generated, 24 found 24 unique failures\n";
        let read = |cases: &str| Found::read(&format!("{operations}{cases}"));
        let found = |tested, requests, failures| Found {
            tested,
            requests,
            failures,
        };
        assert_eq!(read(failing), found(25, 2421, 24));
        assert_eq!(
            read("Test cases:\n  2421 generated, 2421 passed\n"),
            found(49, 2421, 0)
        );
        assert_eq!(
            Found::read("Schema could not be loaded\n"),
            Found::default()
        );
    }
}
