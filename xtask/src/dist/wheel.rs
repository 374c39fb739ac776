//! The Python package for PyPI: a wheel for all versions of Python from 3.10 on and Linux distributions since
//! 2014, and the source distribution.
//!
//! A wheel that is linked on this machine needs the glibc of this machine. The linker of zig has the symbols
//! of older ones, so maturin links with it. zig comes from PyPI, where it is 100 MB.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::build::forget_folders;
use super::platform::Platform;
use super::python_tools;
use crate::process::{self, target};

const MANIFEST: &str = "bindings/python/Cargo.toml";

/// What pip installs.
pub(super) struct Python {
    pub(super) wheel: PathBuf,
    pub(super) sdist: PathBuf,
}

impl Python {
    pub(super) fn all(&self) -> [&PathBuf; 2] {
        [&self.wheel, &self.sdist]
    }
}

/// Builds both into `out`, by way of the folder `build`.
pub(super) fn write(platform: &Platform, build: &Path, out: &Path) -> Result<Python> {
    let python = python_tools::interpreter()?;
    let (wheels, sdists) = (build.join("wheel"), build.join("sdist"));
    let maturin = || python_tools::builder(&python, "maturin");
    let mut wheel = maturin()?;
    wheel
        .args([
            "build",
            "--release",
            "--locked",
            "--manifest-path",
            MANIFEST,
        ])
        .args(["--zig", "--compatibility", "manylinux2014"])
        .args(["--target", &platform.triple, "--out"])
        .arg(&wheels);
    forget_folders(&mut wheel, &target())?;
    process::run(&mut wheel)?;
    let mut sdist = maturin()?;
    sdist
        .args(["sdist", "--manifest-path", MANIFEST, "--out"])
        .arg(&sdists);
    process::run(&mut sdist)?;
    Ok(Python {
        wheel: moved(&wheels, out)?,
        sdist: moved(&sdists, out)?,
    })
}

/// Moves the only file of a folder to another.
fn moved(folder: &Path, out: &Path) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let (Some(file), true) = (files.pop(), files.is_empty()) else {
        bail!("{}: expected one file", folder.display());
    };
    let to = out.join(file.file_name());
    fs::rename(file.path(), &to).with_context(|| format!("moving to {}", to.display()))?;
    Ok(to)
}
