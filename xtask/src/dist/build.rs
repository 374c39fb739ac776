//! Builds the binary of a release: with line tables, and without the folders of this machine in it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::{BINARY, PACKAGE};
use crate::process::{self, cargo, root};

/// A release build with line tables: the debug file is made of them.
pub(super) const PROFILE: &str = "profiling";

/// Builds the binary in a target folder. `guide` is the folder of the documentation that it serves.
pub(super) fn binary(triple: &str, guide: &Path, target: &Path) -> Result<PathBuf> {
    let mut build = cargo();
    build
        .args(["build", "--locked", "--profile", PROFILE])
        .args(["--package", PACKAGE, "--target", triple, "--target-dir"])
        .arg(target)
        .env("OBEYA_GUIDE", guide);
    forget_folders(&mut build, target)?;
    process::run(&mut build)?;
    Ok(target.join(triple).join(PROFILE).join(BINARY))
}

/// Makes a build write neutral names for the folders of this machine, into messages of panics and debug
/// information. Without it, two machines never build the same bytes, and the binary names its builder's
/// home. `RUSTFLAGS` and `CFLAGS` of the user have no effect.
///
/// It needs `--target`: without it Cargo would compile build scripts and macros with these flags too.
pub(super) fn forget_folders(build: &mut Command, target: &Path) -> Result<()> {
    let folders = folders(target)?;
    let rust: Vec<String> = folders
        .iter()
        .map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()))
        .collect();
    let c: Vec<String> = folders
        .iter()
        .map(|(folder, name)| format!("-ffile-prefix-map={}={name}", folder.display()))
        .collect();
    build
        .env("CARGO_ENCODED_RUSTFLAGS", rust.join("\x1f"))
        .env("CFLAGS", c.join(" "));
    Ok(())
}

/// The folders that a build reads, and the names to write for them. A later one may be inside an earlier one,
/// and wins.
fn folders(target: &Path) -> Result<[(PathBuf, &'static str); 3]> {
    let home = match env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => env::home_dir()
            .context("found no home folder; set CARGO_HOME")?
            .join(".cargo"),
    };
    Ok([
        (home, "/cargo"),
        (root(), "/obeya"),
        (target.to_owned(), "/target"),
    ])
}
