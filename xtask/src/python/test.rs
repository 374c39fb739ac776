//! The Python package built, installed and tested in a virtual environment: stubs against the binary, types,
//! then behaviour.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::as_cargo::share_units;
use crate::process::{self, command, root, tee};
use crate::report::Part;
use crate::rust::{LONG, number_before};
use crate::venv;

/// Which build the compiled dependencies of the extension come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Units {
    /// From the build of the Rust tests, which was part of this run.
    OfTheTests,
    /// A build of the extension alone, which is shorter if the Rust tests are not built.
    Own,
}

impl Units {
    /// For the package after the Rust tests. On macOS maturin passes arguments to the linker that a build of
    /// the workspace would not get, so the extension is built alone.
    pub(crate) fn after_the_tests() -> Self {
        if cfg!(target_os = "macos") {
            Self::Own
        } else {
            Self::OfTheTests
        }
    }
}

/// The tests of the package, without the other parts.
pub(crate) fn run(long: bool) -> Result<()> {
    let part = tests(long, Units::Own)?;
    println!("{} passed, {} failed", part.passed, part.failed);
    if part.failed > 0 {
        bail!("{} tests of the Python package failed", part.failed);
    }
    Ok(())
}

/// Builds the package, installs it and runs its tests. The stub and type checks are among them.
/// `long` has tables made of a million values instead of fewer.
pub(crate) fn tests(long: bool, units: Units) -> Result<Part> {
    venv::install(&["-r", "bindings/python/requirements-test.txt"])?;
    install(units)?;
    let mut pytest = pytest()?;
    if long {
        pytest.env(LONG, "1");
    }
    let (success, output) = tee(pytest.arg("bindings/python/tests"))?;
    let (passed, failed) = count(&output);
    let (also_success, output) = lowest_versions()?;
    let (also_passed, also_failed) = count(&output);
    Ok(Part::new(
        "Python",
        success && also_success,
        passed + also_passed,
        failed + also_failed,
    ))
}

fn pytest() -> Result<Command> {
    let mut pytest = command(venv::interpreter()?);
    pytest.args([
        "-m",
        "pytest",
        "-q",
        "--color=no",
        "--rootdir",
        "bindings/python",
        "-c",
        "bindings/python/pyproject.toml",
        // A process for each core. The tests of a file share a service, so they stay in one process.
        "-n",
        "auto",
        "--dist",
        "loadfile",
    ]);
    Ok(pytest)
}

/// The packages that make tables, frames and charts of what the package reads, in the order of the extras.
const MAKERS: [&str; 8] = [
    "altair",
    "pyarrow",
    "duckdb",
    "matplotlib",
    "pandas",
    "plotly",
    "polars",
    "tqdm",
];

/// The tests of what they make: each compares rows or values with those that were written.
const TESTS_OF_MAKERS: [&str; 7] = [
    "test_list_frames.py",
    "test_large_frames.py",
    "test_tidy.py",
    "test_value_forms.py",
    "lean/test_frames.py",
    "lean/test_plots.py",
    "lean/test_plotly.py",
];

/// Runs the tests of tables, frames and charts again, with the oldest version of each library that the
/// package declares, as a user may have it. Old versions of polars lose rows without an error, for example.
fn lowest_versions() -> Result<(bool, String)> {
    let declared = fs::read_to_string(root().join("bindings/python/pyproject.toml"))?;
    let pins = MAKERS
        .iter()
        .map(|name| {
            let version = least(&declared, name)
                .with_context(|| format!("pyproject.toml names no least {name}"))?;
            Ok(format!("{name}=={version}"))
        })
        .collect::<Result<Vec<_>>>()?;
    let folder = root().join(format!(
        "target/lowest-{}",
        pins.join("-").replace("==", "-")
    ));
    if !folder.exists() {
        // Complete or not there: an interrupted installation must not pass for one.
        let unfinished = folder.with_extension("unfinished");
        let mut pip = command(venv::interpreter()?);
        pip.args(["-m", "pip", "install", "--quiet", "--upgrade"]);
        // A version without a wheel would be compiled, or fail to.
        pip.args(["--only-binary", ":all:", "--target"]);
        process::run(pip.arg(&unfinished).args(&pins))?;
        fs::rename(&unfinished, &folder)?;
    }
    let mut pytest = pytest()?;
    // This path is searched before the installed packages.
    pytest.env("PYTHONPATH", folder);
    // The libraries beneath are new, and warn old ones of what they will no longer have.
    pytest.args(["-W", "default::DeprecationWarning"]);
    let tests = TESTS_OF_MAKERS.map(|name| format!("bindings/python/tests/{name}"));
    tee(pytest.args(tests))
}

/// The least version of a package of an extra: `"name>=1.2"`.
fn least<'a>(declared: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = declared.split_once(&format!("\"{name}>="))?;
    let (version, _) = rest.split_once('"')?;
    Some(version)
}

/// Installs the package with pip, as users do, but in the dev profile and in the workspace's target folder: a
/// release build would take minutes and share nothing with the other tests.
pub(super) fn install(units: Units) -> Result<()> {
    let python = venv::interpreter()?;
    let mut pip = command(&python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    // Isolation would download maturin again, into a folder of another name, for which pyo3 would be built
    // again.
    pip.args([
        "--no-build-isolation",
        "--no-deps",
        "--force-reinstall",
        "./bindings/python",
    ]);
    pip.env("MATURIN_PEP517_ARGS", "--profile dev");
    // Without isolation the build looks for `maturin` on the path.
    pip.env("PATH", venv::path_with(&python)?);
    if units == Units::OfTheTests {
        share_units(&mut pip);
    }
    process::run(&mut pip)
}

/// Reads pytest's last line: `3 failed, 12 passed, 1 error in 0.52s`, and after a minute `… in 72.30s
/// (0:01:12)`.
fn count(output: &str) -> (usize, usize) {
    let labels = [" passed", " failed", " error"];
    let last = output.lines().rev().find_map(|line| {
        let (counts, _) = line.rsplit_once(" in ")?;
        let found = labels.map(|label| number_before(counts, label));
        found.iter().any(Option::is_some).then_some(found)
    });
    let [passed, failed, errors] = last.unwrap_or_default().map(Option::unwrap_or_default);
    (passed, failed + errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_version_is_read() {
        let declared = "pandas = [\"pandas>=2.2\", \"pyarrow>=15\"]\npolars = [\"polars>=1.32\"]";
        assert_eq!(least(declared, "pyarrow"), Some("15"));
        assert_eq!(least(declared, "polars"), Some("1.32"));
        assert_eq!(least(declared, "duckdb"), None);
    }

    /// A library that is declared with a least version is tested with it.
    #[test]
    fn every_library_that_makes_something_is_tested_at_its_least_version() {
        let declared = fs::read_to_string(root().join("bindings/python/pyproject.toml"))
            .expect("the package is declared");
        let (_, extras) = declared
            .split_once("[project.optional-dependencies]")
            .expect("it has extras");
        let (extras, _) = extras.split_once("\n[").expect("a table follows");
        let names = extras
            .split('"')
            .filter_map(|text| text.split_once(">=").map(|(name, _)| name))
            // Python has a reader of TOML of its own since 3.11, which the tests use.
            .filter(|name| *name != "tomli")
            .collect::<std::collections::BTreeSet<_>>();
        assert_eq!(names, MAKERS.into());
    }

    #[test]
    fn pytests_last_line_is_read() {
        assert_eq!(
            count("...\n1 failed, 12 passed, 2 errors in 0.52s\n"),
            (12, 3)
        );
        assert_eq!(count("12 passed in 0.52s\n"), (12, 0));
        assert_eq!(count("544 passed in 134.12s (0:02:14)\n"), (544, 0));
        assert_eq!(count("no tests ran in 0.01s\n"), (0, 0));
    }
}
