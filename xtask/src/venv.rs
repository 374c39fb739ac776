//! The Python package, tested as a user would have it: installed with pip into an environment made here.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::process::{command, root, run, tee};
use crate::report::Part;
use crate::rust::number_before;

/// What the tests need beside the package itself.
const REQUIREMENTS: [&str; 4] = ["maturin>=1.14,<2", "pytest>=8", "pyarrow", "pandas"];

/// The interpreter of `target/venv`, made if need be. `PYTHON` names another interpreter than `python3` to make it with.
pub(crate) fn interpreter() -> Result<PathBuf> {
    let venv = root().join("target/venv");
    let python = if cfg!(windows) {
        venv.join("Scripts/python.exe")
    } else {
        venv.join("bin/python")
    };
    if !python.exists() {
        let base = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
        run(command(base).args(["-m", "venv"]).arg(&venv))
            .context("Python 3.10 or later, with its venv module, is needed")?;
    }
    Ok(python)
}

/// Installs packages into the environment; what is there already costs nothing.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ];
    run(command(interpreter()?).args(pip).args(packages))
}

/// Builds and installs the package, and runs its tests.
pub(crate) fn tests() -> Result<Part> {
    install(&REQUIREMENTS)?;
    install(&["./bindings/python"])?;
    let (success, output) = tee(command(interpreter()?).args([
        "-m",
        "pytest",
        "-q",
        "--color=no",
        "bindings/python/tests",
    ]))?;
    let (passed, failed) = count(&output);
    Ok(Part::new("Python", success, passed, failed))
}

/// Reads pytest's last line: `3 failed, 12 passed, 1 error in 0.52s`.
fn count(output: &str) -> (usize, usize) {
    let line = output
        .lines()
        .rev()
        .find(|line| line.contains(" in ") && line.contains('s'));
    let count = |what: &str| line.and_then(|line| number_before(line, what)).unwrap_or(0);
    (count(" passed"), count(" failed") + count(" error"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pytests_last_line_is_read() {
        assert_eq!(
            count("...\n1 failed, 12 passed, 2 errors in 0.52s\n"),
            (12, 3)
        );
        assert_eq!(count("12 passed in 0.52s\n"), (12, 0));
        assert_eq!(count("no tests ran in 0.01s\n"), (0, 0));
    }
}
