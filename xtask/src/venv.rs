//! The virtual environments of Python for tools and tests.

use std::env;
use std::ffi::OsString;
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
        let base = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
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

/// A path on which the programs of an interpreter's environment come first.
pub(crate) fn path_with(python: &Path) -> Result<OsString> {
    let mut folders: Vec<_> = python.parent().map(Into::into).into_iter().collect();
    folders.extend(env::var_os("PATH").iter().flat_map(env::split_paths));
    Ok(env::join_paths(folders)?)
}
