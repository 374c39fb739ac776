//! The Python environment that tools and tests run in, made here so that nobody needs to make one.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::process::{command, root, run};

/// The interpreter of `target/venv`, made if need be. `PYTHON` names another interpreter than `python3` to
/// make it with.
pub(crate) fn interpreter() -> Result<PathBuf> {
    interpreter_of("target/venv")
}

/// The interpreter of an environment of its own, for what the tests' packages would be in the way of.
pub(crate) fn interpreter_of(folder: &str) -> Result<PathBuf> {
    let venv = root().join(folder);
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
