//! The Python package as users install it, a release wheel, measured against other clients in a separate
//! environment.

use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::process::{self, cargo, command, root};
use crate::venv;

const VENV: &str = "target/bench-venv";
const WHEELS: &str = "target/bench-wheels";

/// Builds a wheel, installs it and the packages that it is compared with, and measures.
pub(crate) fn run() -> Result<()> {
    let python = venv::interpreter_of(VENV)?;
    let pip = |arguments: &[&str]| {
        let mut pip = command(&python);
        pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check"]);
        process::run(pip.args(arguments))
    };
    pip(&["install", "-r", "bindings/python/bench/requirements.txt"])?;
    let wheel = wheel(&pip)?;
    let shown = wheel.to_string_lossy();
    pip(&["install", "--no-deps", "--force-reinstall", &shown])?;
    process::run(cargo().args([
        "build",
        "--release",
        "--package",
        "obeya",
        "--example",
        "small_calls",
    ]))?;
    let calls = process::target()
        .join("release/examples/small_calls")
        .with_extension(std::env::consts::EXE_EXTENSION);
    let mut bench = command(&python);
    bench
        .arg("bindings/python/bench")
        .arg("--wheel")
        .arg(&wheel)
        .arg("--calls")
        .arg(calls);
    process::run(&mut bench)
}

/// The wheel, alone in its folder.
fn wheel(pip: &dyn Fn(&[&str]) -> Result<()>) -> Result<PathBuf> {
    let folder = root().join(WHEELS);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).context("the last wheel cannot be removed")?;
    }
    pip(&[
        "wheel",
        "--no-deps",
        "--wheel-dir",
        WHEELS,
        "./bindings/python",
    ])?;
    let found = std::fs::read_dir(&folder)
        .context("no wheel was made")?
        .next();
    Ok(found.context("no wheel was made")??.path())
}
