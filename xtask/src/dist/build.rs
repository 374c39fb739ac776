//! Builds the binary of a release: with line tables, and without the folders of this machine in it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::platform::Platform;
use super::python_tools::{self, builder};
use super::{BINARY, PACKAGE};
use crate::process::{self, cargo, root};

/// A release build with line tables: the debug file is made of them.
pub(super) const PROFILE: &str = "profiling";

/// The version of glibc that the binary of another platform needs: that of Debian 12. One of this machine's
/// platform needs the version that this machine has.
const GLIBC: &str = "2.36";

/// Builds the binary in a target folder. `guide` is the folder of the documentation that it serves.
pub(super) fn binary(platform: &Platform, guide: &Path, target: &Path) -> Result<PathBuf> {
    let triple = &platform.triple;
    let mut build = if platform.is_foreign {
        // A compiler of C and a linker for every platform, instead of those of this machine.
        let mut zig = builder(&python_tools::interpreter()?, "cargo-zigbuild")?;
        zig.args(["zigbuild", "--target", &format!("{triple}.{GLIBC}")]);
        zig
    } else {
        let mut cargo = cargo();
        cargo.args(["build", "--target", triple]);
        cargo
    };
    build
        .args(["--locked", "--profile", PROFILE])
        .args(["--package", PACKAGE, "--target-dir"])
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
