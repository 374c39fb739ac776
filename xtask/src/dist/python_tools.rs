//! The tools of PyPI that build and check: maturin, zig, and those that look into wheels, in an environment
//! of their own.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::archive::time_of_source;
use crate::process::command;
use crate::venv;

/// The environment of the tools.
const VENV: &str = "target/dist-venv";

/// What the builds and their checks need. maturin and abi3audit have the versions of the tests.
const TOOLS: [&str; 7] = [
    "-c",
    "bindings/python/requirements-test.txt",
    "abi3audit",
    "auditwheel==6.8.2",
    "cargo-zigbuild==0.24.1",
    "maturin",
    "ziglang==0.17.1",
];

/// The interpreter of the environment with the tools.
pub(super) fn interpreter() -> Result<PathBuf> {
    let python = venv::interpreter_of(VENV)?;
    venv::install_into(&python, &TOOLS)?;
    Ok(python)
}

/// A command that finds zig and the other tools, and builds with the time of the source.
pub(super) fn builder(python: &Path, program: &str) -> Result<Command> {
    let mut builder = command(python.with_file_name(program));
    builder
        .env("PATH", venv::path_with(python)?)
        .env("SOURCE_DATE_EPOCH", time_of_source()?.to_string());
    Ok(builder)
}
