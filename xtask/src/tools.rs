//! Programs of crates.io that some commands run: installed below `target` when they are first needed.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::process::{cargo, run, target};

/// The program of a crate, in this version.
pub(crate) fn installed(name: &str, version: &str) -> Result<PathBuf> {
    let folder = target().join(format!("tools/{name}-{version}"));
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let program = folder.join("bin").join(file);
    if !program.exists() {
        let mut install = cargo();
        install.args([
            "install",
            "--quiet",
            "--locked",
            name,
            "--version",
            version,
            "--root",
        ]);
        run(install.arg(&folder)).with_context(|| format!("installing {name}"))?;
    }
    Ok(program)
}
