//! The virtual environments of Python for tools and tests.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::process::{command, root, run};

/// The interpreter of `target/venv`, which is created if it is missing. `PYTHON` names the interpreter to
/// create it with; the default is `python3`.
pub(crate) fn interpreter() -> Result<PathBuf> {
    interpreter_of("target/venv")
}

/// The interpreter of a separate environment, where packages of the tests would interfere.
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

/// Installs packages into the environment. Installed ones cost nothing.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    install_into(&interpreter()?, packages)
}

/// Installs packages into the environment of an interpreter.
pub(crate) fn install_into(python: &Path, packages: &[&str]) -> Result<()> {
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ];
    run(command(python).args(pip).args(packages))
}
